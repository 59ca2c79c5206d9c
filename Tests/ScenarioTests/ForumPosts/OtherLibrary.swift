/// A stand-in for another networking library, with its own request and response types.
enum OtherLibrary {
    struct Request: Sendable {
        var method: String
        var url: String
        var headers: [String: String]
        var body: [UInt8]
    }

    struct Response: Sendable {
        var status = 200
        var headers: [String: String] = [:]
        var body: [UInt8] = []
    }

    struct Client: Sendable {
        var execute: @Sendable (Request) async throws -> Response
    }
}
