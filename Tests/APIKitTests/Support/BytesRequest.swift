import APIKit
import Foundation

/// A request whose output is the body as it came.
struct BytesRequest: APIRequest {
    typealias ResponseDataType = Data

    let make: @Sendable () throws -> URLRequest

    func makeRequest(from data: Void) throws -> URLRequest { try make() }
}
