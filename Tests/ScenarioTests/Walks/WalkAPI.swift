import APIKit
import Foundation

nonisolated struct Walk: Codable, Equatable, Sendable {
    var id: Int
    var dog: String
}

nonisolated struct Position: Codable, Equatable, Sendable {
    var latitude: Double
    var longitude: Double
}

struct WalkRequest: APIRequest {
    typealias ResponseDataType = Walk

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(.get, "walks/\(id)")
    }
}

/// A stream of server-sent events, each with a position as JSON.
struct PositionsRequest: APIRequest {
    typealias ResponseDataType = Void

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(.get, "walks/\(id)/positions")
    }
}

struct AddPhoto: APIRequest {
    typealias ResponseDataType = Void

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(.post, "walks/\(id)/photos")
    }
}
