import APIKit
import Foundation

/// Publishes a draft.
struct PublishPostRequest: APIRequest {
    typealias ResponseDataType = Post

    func makeRequest(from draft: PostDraft) throws -> URLRequest {
        try URLRequest(.post, "posts", body: .json(draft))
    }
}
