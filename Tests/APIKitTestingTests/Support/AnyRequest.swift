import APIKit
import Foundation

/// A request type whose request a closure makes.
struct AnyRequest: APIRequest {
    typealias ResponseDataType = Data

    let make: @Sendable () throws -> URLRequest

    init(_ make: @escaping @Sendable () throws -> URLRequest) {
        self.make = make
    }

    init(
        _ method: HTTPMethod = .get, _ path: String = "dogs", query: QueryItems = [:],
        headers: [String: String] = [:], body: HTTPBody? = nil
    ) {
        self.init {
            try URLRequest(
                method, APIPath(verbatim: path), query: query, headers: headers, body: body)
        }
    }

    func makeRequest(from input: Void) throws -> URLRequest { try make() }
}

extension HTTPBody {
    static func jsonText(_ text: String, _ type: String = "application/json") -> HTTPBody {
        .data(Data(text.utf8), contentType: type)
    }

    static func parts(
        name: String = "a", fileName: String = "a.png", type: String = "image/png",
        bytes: [UInt8] = [1]
    ) -> HTTPBody {
        .multipart([
            "note": .text("x"),
            name: .data(Data(bytes), fileName: fileName, contentType: type),
        ])
    }
}
