import APIKit
import Foundation

/// A request to load a number of bytes from a ``LoopbackServer``, or with PUT to upload them.
struct BytesRequest: APIRequest {
    typealias ResponseDataType = Data

    var method = HTTPMethod.get

    func makeRequest(from byteCount: Int) throws -> URLRequest {
        try URLRequest(method, "\(byteCount)")
    }
}
