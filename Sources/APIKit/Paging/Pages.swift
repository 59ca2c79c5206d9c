import Foundation

/// The pages of a list, in order, each loaded when it is asked for.
///
/// Who leaves the loop loads no more. Every iteration starts from the first page again, and any
/// number of tasks may have one.
///
/// An iterator is a value: to load more whenever a user scrolls to the end, keep one and call
/// ``AsyncIterator/next()``.
public struct Pages<Request: PagedAPIRequest>: AsyncSequence, Sendable {
    /// One page.
    public typealias Element = Request.ResponseDataType

    let client: APIClient
    let request: Request
    let input: Request.RequestDataType

    /// Creates an iterator that starts from the first page.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }
}

extension Pages {
    /// A place in the pages of a list.
    ///
    /// A copy goes on from there by itself.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        private let pages: Pages
        /// The input for the next page, `nil` after the last, or why there is none.
        private var input: Result<Request.RequestDataType?, any Error>
        private var count = 0
        /// The numbers of the pages that were asked for.
        private var sent: [SentRequest: Int] = [:]

        init(_ pages: Pages) {
            self.pages = pages
            input = .success(pages.input)
        }

        /// Loads the next page.
        ///
        /// A page whose request was sent before, by the same iterator, is not loaded again: the
        /// list would never end. Requests are the same if they agree in method, URL, headers and
        /// body, as they enter the interceptors; one with a body stream is like no other. If your
        /// server keeps the place itself, so that asking for the same is asking for more, number
        /// the requests in a header.
        ///
        /// - Returns: The page, or `nil` after the last page and after an error.
        /// - Throws: The same errors as ``APIClient/load(_:with:)``, what the request type threw in
        ///   ``PagedAPIRequest/nextInput(after:from:)``, or an ``APIError`` of kind
        ///   ``APIError/Kind/invalidRequest(_:)`` for a page that was loaded before.
        public mutating func next() async throws -> Request.ResponseDataType? {
            let upcoming = input
            // Whatever is thrown from here on ends the pages.
            input = .success(nil)
            guard let input = try upcoming.get() else { return nil }
            // An interceptor may answer without the transport, which would notice.
            try Task.checkCancellation()
            let (client, request) = (pages.client, pages.request)
            count += 1
            let run = try CallRun(of: request, with: input, by: client) {
                try refuseRepetition(of: $0)
            }
            let response = try await run.load(request, by: client.transport.send)
            self.input = Result { try request.inputForNextPage(after: response, from: input) }
            return response.value
        }

        private mutating func refuseRepetition(of request: URLRequest) throws {
            guard let key = SentRequest(request),
                let page = sent.updateValue(count, forKey: key)
            else { return }
            throw APIError(
                .invalidRequest(
                    """
                    page \(count - 1) asks for page \(page) again, so the list would never end; \
                    nextInput(after:from:) has to return an input for another page, or nil after \
                    the last
                    """),
                request: request)
        }
    }
}

/// What tells a request from those before it.
private struct SentRequest: Hashable {
    private let method: String?
    private let url: String?
    // Some servers take the cursor in a header, such as `Range` or `x-ms-continuation`.
    private let headers: [String: String]?
    private let body: Data?

    init?(_ request: URLRequest) {
        // What is in a stream is not known before it is read.
        guard request.httpBodyStream == nil else { return nil }
        method = request.httpMethod
        url = request.url?.absoluteString
        headers = request.allHTTPHeaderFields
        body = request.httpBody
    }
}

extension PagedAPIRequest {
    /// The input for the page after a response, unless it is an optional that is `nil`.
    fileprivate func inputForNextPage(
        after response: APIResponse<ResponseDataType>,
        from input: RequestDataType
    ) throws -> RequestDataType? {
        let next = try nextInput(after: response, from: input)
        // A cursor of type `String?` that is returned as a `String??` is never `nil` by itself.
        return next.flatMap { ($0 as? any Nilable)?.isNil == true ? nil : $0 }
    }
}

private protocol Nilable {
    var isNil: Bool { get }
}

extension Optional: Nilable {
    fileprivate var isNil: Bool { self == nil }
}
