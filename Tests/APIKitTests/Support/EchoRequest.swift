import APIKit
import Foundation

/// A request whose output is the text that the server answers.
struct EchoRequest: APIRequest {
    typealias ResponseDataType = String

    var make: @Sendable () throws -> URLRequest = { try URLRequest(.get, "echo") }

    func makeRequest(from data: Void) throws -> URLRequest { try make() }
}
