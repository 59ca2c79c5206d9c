import Foundation

extension APICall {
    /// Returns the call that another attempt may send, or `nil` if there is none.
    ///
    /// It is this call, unless the last attempt was redirected by another status than 307 and 308. The
    /// server may then have processed the request, and after a 303 it has (RFC 9110, section 15.4). If the
    /// request must not be repeated, only the request that followed the redirect may be. After a redirect
    /// to another origin nothing may be: an inner interceptor could add a credential to that request.
    func repeated() -> APICall? {
        guard let answered = context.answered, answered.isContinuation, !isIdempotent
        else { return self }
        guard !answered.hasLeftOrigin else { return nil }
        var call = self
        call.request.url = answered.request.url
        if answered.request.method == .get { call.request.becomeGet() }
        call.isContinuation = true
        return call
    }

    /// Whether the body can be sent again, because it is not a stream.
    var hasRepeatableBody: Bool {
        request.httpBodyStream == nil && body?.isRepeatable != false
    }

    /// Whether repeating the request is safe, because of its method or its `Idempotency-Key`.
    ///
    /// The methods are GET, HEAD, OPTIONS, TRACE, PUT and DELETE (RFC 9110, section 9.2.2). The key may be
    /// that of an inner ``IdempotencyKey``.
    public var isIdempotent: Bool {
        [.get, .head, .options, "TRACE", .put, .delete].contains(request.method)
            || request.value(forHTTPHeaderField: IdempotencyKey.field) != nil
            || IdempotencyKey.hasKey(self)
    }
}
