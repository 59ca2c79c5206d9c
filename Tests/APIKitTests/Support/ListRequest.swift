import APIKit
import Foundation

/// A request for a list of numbered pages, whose output is the text that the server answers.
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
