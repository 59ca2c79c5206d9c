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
            to: .matching(bare { $0.hasPage7 }, "URLComponents")),
        Comparison(
            .matching(.any.json(Post.ofNumber(7)), "a JSON body"),
            to: .matching(bare { $0.hasPost7 }, "JSONDecoder and =="), aim: 1.2),
        Comparison(
            .matching(.any.jsonContaining(["title": "Post 7"]), "a part of a JSON body"),
            to: .matching(bare { $0.hasPost7 }, "JSONDecoder and =="), aim: 1.5),
    ]

    private static func bare(
        _ accepts: @escaping @Sendable (RecordedRequest) -> Bool
    ) -> RequestPattern {
        .any.where("a closure", accepts)
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
