import Foundation

/// What the atlas answers: a status, and a value as JSON.
struct AtlasAnswer {
    let status: Int
    let headers: [String: String]
    let body: Data

    /// Creates an answer that holds a value.
    init(_ status: Int, _ value: some Encodable, headers: [String: String] = [:]) throws {
        self.status = status
        self.headers = headers.merging(["Content-Type": "application/json"]) { given, _ in given }
        body = try JSONEncoder().encode(value)
    }
}
