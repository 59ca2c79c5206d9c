// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

public typealias URLSessionDataTask = URLSessionTask

public final class URLSessionTask: NSObject, @unchecked Sendable {
    typealias Upload = (size: Int, open: @Sendable () -> InputStream?)
    typealias Receiver = any URLSessionDataDelegate
    private let session: URLSession
    private let request: URLRequest
    private let upload: Upload?
    private let lock = NSLock()
    private var receiver: Receiver?
    private var head: URLResponse?
    private var loading: Task<Void, Never>?
    private var body: InputStream?
    private var isOver = false

    init(_ session: URLSession, _ request: URLRequest, _ upload: Upload?) {
        (self.session, self.request, self.upload) = (session, request, upload)
    }

    // "Delegate is strongly referenced until the task completes, after which it is reset to `nil`."
    public var delegate: (any URLSessionTaskDelegate)? {
        get { lock.withLock { receiver } }
        set { lock.withLock { receiver = newValue as? Receiver } }
    }
    public var response: URLResponse? { lock.withLock { head } }
    public var countOfBytesSent: Int64 { 0 }
    public func resume() {
        let loading = Task {
            do { try await load() } catch { return complete(error) }
            complete(nil)
        }
        lock.withLock { self.loading = loading }
    }
    // "-cancel returns immediately", and sends NSURLErrorCancelled as the last message.
    public func cancel() { complete(URLError(.cancelled)) }

    // "Sent as the last message related to a specific task."
    private func complete(_ error: (any Error)?) {
        lock.withLock {
            guard !isOver else { return }
            isOver = true
            loading?.cancel()
            session.delegateQueue.addOperation { [self, receiver] in
                receiver?.urlSession(session, task: self, didCompleteWithError: error)
                delegate = nil
            }
            // No source says which of the two is first.
            nonisolated(unsafe) let input = body as? BoundInput
            DispatchQueue.global().async { input?.close() }
        }
    }

    /// Sends a message to the delegate on its queue, unless the last one has been sent.
    private func tell(_ message: @escaping @Sendable (Receiver) -> Void) {
        lock.withLock {
            guard !isOver, let receiver else { return }
            session.delegateQueue.addOperation { message(receiver) }
        }
    }

    /// Sends a message, and waits until the delegate calls its completion handler.
    private func ask<Answer>(
        _ message: @escaping @Sendable (Receiver, @escaping @Sendable (Answer) -> Void) -> Void
    ) async throws -> Answer {
        let (answers, continuation) = AsyncStream.makeStream(of: Answer.self)
        tell {
            message($0) { answer in
                nonisolated(unsafe) let answer = answer
                continuation.yield(answer)
            }
        }
        for await answer in answers { return answer }
        throw CancellationError()
    }

    private func load() async throws {
        var (request, upload) = (request, upload)
        while true {
            let input =
                upload?.open() ?? request.httpBody.map { InputStream(data: $0) }
                ?? request.httpBodyStream
            let length = upload?.size ?? request.httpBody?.count
            let response: URLSession.Response
            do {
                response = try await session.network(framed(request, length), reader(of: input))
            } catch let error as URLError where error.code == .requestBodyStreamExhausted {
                // The server has closed a kept connection. "[If] the task needs to resend a request that
                // has a body stream", but not for data and files (the documentation of the method).
                guard length == nil, input != nil else { continue }
                request.httpBodyStream = try await ask { [self] in
                    $0.urlSession(session, task: self, needNewBodyStream: $1)
                }
                if request.httpBodyStream == nil { throw error }
                continue
            }
            guard let next = try await next(request, response.head) else {
                return try await deliver(response)
            }
            (request, upload) = (next, nil)
        }
    }

    // "Pass nil to the completionHandler to cause the body of the redirection response to be delivered as
    // the payload of this request."
    private func next(_ request: URLRequest, _ response: HTTPURLResponse) async throws
        -> URLRequest?
    {
        guard [301, 302, 303, 307, 308].contains(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location"),
            let url = URL(string: location, relativeTo: request.url)?.absoluteURL
        else { return nil }
        // A load uses only the URL of the system's proposal (https://github.com/WebKit/WebKit/pull/62982).
        return try await ask { [self] in
            $0.urlSession(
                session, task: self, willPerformHTTPRedirection: response,
                newRequest: URLRequest(url: url), completionHandler: $1)
        }
    }

    // "No further messages will be received until the completion block is called."
    private func deliver(_ response: URLSession.Response) async throws {
        lock.withLock { head = response.head }
        let disposition: URLSession.ResponseDisposition = try await ask { [self] in
            $0.urlSession(session, dataTask: self, didReceive: response.head, completionHandler: $1)
        }
        guard disposition == .allow else { return cancel() }
        for await chunk in response.body {
            tell { [self] in $0.urlSession(session, dataTask: self, didReceive: chunk) }
        }
        if let error = response.error { throw error }
    }

    // "Added to the request only if not already present". The fields of the length: RFC 9110, section 8.6.
    private func framed(_ request: URLRequest, _ length: Int?) -> URLRequest {
        var request = request
        var fields = session.configuration.httpAdditionalHeaders ?? [:]
        fields["Content-Length"] = length
        if length == nil, request.value(forHTTPHeaderField: "Content-Length") == nil {
            fields["Transfer-Encoding"] = request.httpBodyStream.map { _ in "chunked" }
        }
        for (name, value) in fields where request.value(forHTTPHeaderField: "\(name)") == nil {
            request.setValue("\(value)", forHTTPHeaderField: "\(name)")
        }
        return request
    }

    private func reader(of input: InputStream?) -> @Sendable (Int) async throws -> Data {
        // CFNetwork ends the process otherwise (https://github.com/connectrpc/connect-swift/pull/399).
        precondition(input?.streamStatus ?? .notOpen == .notOpen)
        input?.open()
        lock.withLock { body = input }
        nonisolated(unsafe) let input = input
        let queue = DispatchQueue(label: "URLSessionTask")
        return { limit in
            try await withCheckedThrowingContinuation { continuation in
                queue.async { [self] in
                    continuation.resume(with: Result { try read(input, upTo: limit) })
                }
            }
        }
    }

    private func read(_ input: InputStream?, upTo limit: Int) throws -> Data {
        var data = Data()
        var bytes = [UInt8](repeating: 0, count: 16_384)
        while data.count < limit, let count = input?.read(&bytes, maxLength: 16_384), count > 0 {
            data += bytes[..<count]
            // "Sent periodically to notify the delegate of upload progress."
            tell { [self, total = Int64(data.count)] in
                $0.urlSession(
                    session, task: self, didSendBodyData: Int64(count), totalBytesSent: total,
                    totalBytesExpectedToSend: -1)
            }
        }
        // A server does not see the end of a body after the end of its connection.
        guard !lock.withLock({ isOver }) else { throw URLError(.networkConnectionLost) }
        return data
    }
}
