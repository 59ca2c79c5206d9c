import APIKit
import Foundation

/// Requests the posts about a topic.
struct PostsRequest: APIRequest {
    typealias ResponseDataType = [Post]

    func makeRequest(from topic: String) throws -> URLRequest {
        try URLRequest(.get, "posts", query: ["topic": topic])
    }
}
