import APIKit
import APIKitTesting
import Foundation

extension Comparison {
    static let patterns = [
        Comparison(
            .matching(.path("/users/{user}/posts/{post}"), "a path template"),
            to: .matching(bare { $0.hasPostsPath }, "String.split")),
        Comparison(
            .matching(.any.query("page", "7"), "a query item"),
            to: .matching(bare { $0.hasPage7 }, "URLComponents"), aim: 1.0),
        Comparison(
            .matching(.any.json(Post.ofNumber(7)), "a JSON body"),
            to: .matching(bare { $0.hasPost7 }, "JSONDecoder and =="), aim: 1.2),
        Comparison(
            .matching(.any.jsonContaining(["title": "Post 7"]), "a part of a JSON body"),
            to: .matching(bare { $0.hasPost7 }, "JSONDecoder and =="), aim: 1.5),
        Comparison(.sendingToJSONRoutes, to: .sendingToResponderOfJSON, aim: 1.2),
    ]

    private static func bare(
        _ accepts: @escaping @Sendable (RecordedRequest) -> Bool
    ) -> RequestPattern {
        .where("a closure", accepts)
    }
}

extension Workload {
    /// Matches a pattern with 1,000 requests, of which ten match.
    fileprivate static func matching(_ pattern: RequestPattern, _ name: String) -> Workload {
        Workload("matching \(name)", count: 1_000) {
            let server = MockServer()
            server.on(.any)
            for number in 0..<1_000 {
                // One in a hundred has the path, the query and the body of the patterns.
                let kind = number % 100 == 7 ? "posts" : "photos"
                let request = try URLRequest(
                    .post, "https://api.example.com/users/\(number)/\(kind)/7",
                    query: ["sort": "date", "page": number % 100],
                    body: .json(Post.ofNumber(number % 100)))
                _ = try await server.send(request)
            }
            return {
                try WrongResult.unless(server.requests(matching: pattern).count == 10)
            }
        }
    }
}

extension Workload {
    /// Sends a request to the first of 1,000 routes that have the same path.
    fileprivate static let sendingToJSONRoutes = Workload(
        "MockServer.send, 1000 JSON routes of one path", count: 1
    ) {
        let server = MockServer()
        for number in 0..<1_000 {
            server.on(.post("/posts").json(Post.ofNumber(number)), reply: .status(201))
        }
        return try await sendingPost(to: server)
    }

    fileprivate static let sendingToResponderOfJSON = Workload(
        "MockServer.send, JSONDecoder and 1000 times == in a responder", count: 1
    ) {
        let server = MockServer()
        let posts = (0..<1_000).map(Post.ofNumber)
        server.on(.post("/posts")) { request in
            let post = try request.json(Post.self)
            return .status(posts.last { $0 == post } == nil ? 404 : 201)
        }
        return try await sendingPost(to: server)
    }

    private static func sendingPost(
        to server: MockServer
    ) async throws -> Run {
        let request = try URLRequest(
            .post, "https://api.example.com/posts", body: .json(Post.ofNumber(0)))
        return {
            let (_, response) = try await server.send(request)
            try WrongResult.unless((response as? HTTPURLResponse)?.statusCode == 201)
        }
    }
}

private struct Post: Codable, Equatable {
    let id: Int
    let title: String
    let tags: [String]

    static func ofNumber(_ number: Int) -> Post {
        Post(id: number, title: "Post \(number)", tags: ["swift", "networking"])
    }
}

extension RecordedRequest {
    fileprivate var hasPostsPath: Bool {
        let segments = path.split(separator: "/")
        return segments.count == 4 && segments[0] == "users" && segments[2] == "posts"
    }

    fileprivate var hasPage7: Bool {
        URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems?
            .contains { $0.name == "page" && $0.value == "7" } ?? false
    }

    fileprivate var hasPost7: Bool {
        (try? JSONDecoder().decode(Post.self, from: body)) == Post.ofNumber(7)
    }
}
