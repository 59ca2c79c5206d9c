import Foundation

extension APICall {
    /// Returns the call that another attempt may send, or `nil` if there is none.
    ///
    /// It is this call, unless a redirect of the last attempt turned its request into a GET. The server
    /// has then processed the request (RFC 9110, section 15.4.4). If the request must not be repeated,
    /// only the GET is. After a redirect to another origin nothing is: an inner interceptor could add a
    /// credential to the GET.
    func repeated() -> APICall? {
        guard let answered = context.answered, answered.isForResult, !isIdempotent
        else { return self }
        guard !answered.hasLeftOrigin else { return nil }
        var call = self
        call.request.url = answered.request.url
        call.request.becomeGet()
        call.isForResult = true
        return call
    }

    /// Whether repeating the request is safe, because of its method (RFC 9110, section 9.2.2) or its
    /// `Idempotency-Key`.
    var isIdempotent: Bool {
        [.get, .head, .options, "TRACE", .put, .delete].contains(request.method)
            || request.value(forHTTPHeaderField: IdempotencyKey.field) != nil
            // An inner IdempotencyKey sends the key of the call with each attempt.
            || IdempotencyKey.hasKey(self)
    }
}
