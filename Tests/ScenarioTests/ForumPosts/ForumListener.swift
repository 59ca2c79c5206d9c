import APIKit
import Foundation

/// Tells the rest of the app what became of one call.
struct ForumListener: APIObserver {
    private let call: String
    private let tell: @Sendable (ForumEvent) -> Void

    init(_ call: APICall, telling tell: @escaping @Sendable (ForumEvent) -> Void) {
        self.call = "\(call.request.httpMethod ?? "GET") \(call.request.url?.path() ?? "/")"
        self.tell = tell
    }

    func callSucceeded<Value: Sendable>(with response: APIResponse<Value>) {
        switch response.value {
        case let posts as [Post]: tell(ForumEvent(call: call, outcome: .loaded(posts)))
        case let post as Post: tell(ForumEvent(call: call, outcome: .published(post)))
        default: break
        }
    }

    func callFailed(error: any Error) {
        tell(ForumEvent(call: call, outcome: .failed(error)))
    }
}
