import APIKit

/// A listener for one call, which reports the call's result to the rest of the app.
///
/// A call succeeds once its response is parsed, so a body that does not decode is reported as a
/// failure.
struct ForumListener: APIObserver {
    private let request: any APIRequest
    private let report: @Sendable (ForumEvent) -> Void

    init(_ call: APICall, report: @escaping @Sendable (ForumEvent) -> Void) {
        request = call.apiRequest
        self.report = report
    }

    // The request type selects the event, because the value cannot: an empty array of any type also
    // casts to `[Post]`.
    func callSucceeded<Value: Sendable>(with response: APIResponse<Value>) {
        switch (request, response.value) {
        case (is PostsRequest, let posts as [Post]): report(.loaded(.success(posts)))
        case (is PublishPostRequest, let post as Post): report(.published(.success(post)))
        default: break
        }
    }

    func callFailed(with error: any Error) {
        switch request {
        case is PostsRequest: report(.loaded(.failure(error)))
        case is PublishPostRequest: report(.published(.failure(error)))
        default: break
        }
    }
}
