import APIKit
import Foundation

/// A request for a number of bytes from a ``LoopbackServer``.
struct BytesRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from byteCount: Int) throws -> URLRequest {
        try URLRequest(.get, "\(byteCount)")
    }
}

/// A request to upload a number of bytes to a ``LoopbackServer``.
struct BytesUpload: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from byteCount: Int) throws -> URLRequest {
        try URLRequest(.put, "\(byteCount)")
    }
}
