import APIKit
import Foundation

struct Dog: Codable, Equatable, Sendable {
    var id = 1
    var name = "Rex"
}

/// A request for one dog by its number.
struct DogRequest: APIRequest {
    typealias ResponseDataType = Dog

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(.get, "dogs/\(id)")
    }
}

/// A request whose output is the body as text.
struct EchoRequest: APIRequest {
    typealias ResponseDataType = String

    var make: @Sendable () throws -> URLRequest = { try URLRequest(.get, "echo") }

    func makeRequest(from data: Void) throws -> URLRequest { try make() }
}

/// A request whose output is the body as data, and whose accepted statuses a test sets.
struct DataRequest: APIRequest {
    typealias ResponseDataType = Data

    var make: @Sendable () throws -> URLRequest = { try URLRequest(.get, "echo") }
    var accepts: @Sendable (Int) -> Bool = { 200..<300 ~= $0 }

    /// A request that accepts any status.
    static func anyStatus(_ method: HTTPMethod = .get) -> DataRequest {
        DataRequest(make: { try URLRequest(method, "echo") }, accepts: { _ in true })
    }

    func makeRequest(from data: Void) throws -> URLRequest { try make() }
    func accepts(_ response: HTTPURLResponse) -> Bool { accepts(response.statusCode) }
}

/// A request for a list of numbered pages, whose output is the body as text.
struct ListRequest: PagedAPIRequest {
    typealias ResponseDataType = String

    var last = 3
    var make: @Sendable (Int) throws -> URLRequest = {
        try URLRequest(.get, "dogs", query: ["page": $0])
    }
    var next: @Sendable (Int) throws -> Int = { $0 + 1 }

    func makeRequest(from page: Int) throws -> URLRequest { try make(page) }

    func nextInput(after response: APIResponse<String>, from page: Int) throws -> Int? {
        page == last ? nil : try next(page)
    }
}
