/// The requests that a server was sent.
actor RequestLog {
    /// The requests so far, oldest first.
    private(set) var requests: [ReceivedRequest] = []
    private var waiting: [AsyncStream<Void>.Continuation] = []

    func append(_ request: ReceivedRequest) {
        requests.append(request)
        for continuation in waiting { continuation.yield() }
    }

    /// One element for each request from now on, and one at once if there has been any.
    var arrivals: AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        if !requests.isEmpty { continuation.yield() }
        waiting.append(continuation)
        return stream
    }
}
