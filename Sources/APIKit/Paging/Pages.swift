import Foundation

/// The pages of a list, in order, each loaded when the loop asks for it.
///
/// A loop that ends early loads no more pages. Each loop starts from the first page, and any number
/// of loops can run at once.
///
/// An iterator is a value. To load a page when a user scrolls to the end, keep an iterator and call
/// ``AsyncIterator/next()``.
public struct Pages<Request: PagedAPIRequest>: AsyncSequence, Sendable {
    /// A page.
    public typealias Element = Request.ResponseDataType

    let client: APIClient
    let request: Request
    let input: Request.RequestDataType

    /// Creates an iterator that starts from the first page.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }
}

extension APIClient {
    /// Returns the pages of a list, each loaded when the loop asks for it.
    ///
    /// ```swift
    /// for try await dogs in client.pages(of: DogsRequest(), from: 1) {
    ///     show(dogs)
    /// }
    /// ```
    ///
    /// Each page is a separate call. The interceptors handle each one, and a ``Deadline`` limits one
    /// page.
    ///
    /// - Parameters:
    ///   - request: The request type.
    ///   - input: The input of the first page.
    /// - Returns: The pages. None is loaded yet.
    public func pages<Request: PagedAPIRequest>(
        of request: Request,
        from input: Request.RequestDataType
    ) -> Pages<Request> {
        Pages(client: self, request: request, input: input)
    }
}

extension Pages {
    /// An iterator of the pages of a list, whose copies continue independently.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        private let pages: Pages
        /// The input of the next page, `nil` after the last one, or the error that ends the pages.
        private var input: Result<Request.RequestDataType?, any Error>
        /// The number of the page that each request loaded.
        private var sent: [SentRequest: Int] = [:]

        init(_ pages: Pages) {
            self.pages = pages
            input = .success(pages.input)
        }

        /// Loads the next page.
        ///
        /// An iterator never sends a request twice, because the list would not end. Two requests are
        /// the same if their method, URL, header fields and body are equal before the interceptors.
        /// The order of the members of a JSON body does not count. A request with a body stream equals
        /// no other. If the server tracks the position, and expects the same request for each page,
        /// number the requests in a header field.
        ///
        /// - Returns: The page, or `nil` after the last page and after an error.
        /// - Throws: The same errors as ``APIClient/load(_:with:)``, an error of
        ///   ``PagedAPIRequest/nextInput(after:from:)``, or an ``APIError`` of kind
        ///   ``APIError/Kind/invalidRequest(_:)`` for a request that was sent before.
        public mutating func next() async throws -> Request.ResponseDataType? {
            let upcoming = input
            // An error from here on ends the pages.
            input = .success(nil)
            guard let input = try upcoming.get() else { return nil }
            // The transport checks this too, but an interceptor can return a response without it.
            try Task.checkCancellation()
            let (client, request) = (pages.client, pages.request)
            let run = try CallRun(of: request, with: input, by: client) {
                try refuseRepetition(of: $0)
            }
            let response = try await run.load(request)
            self.input = Result {
                let next = try request.nextInput(after: response, from: input)
                // A `String?` cursor becomes a `String??`, which is not `nil` even if the cursor is.
                let mirror = next.map { Mirror(reflecting: $0) }
                let isEnd = mirror?.displayStyle == .optional && mirror?.children.isEmpty == true
                return isEnd ? nil : next
            }
            return response.value
        }

        private mutating func refuseRepetition(of request: URLRequest) throws {
            // The bytes of a stream are unknown before it is read.
            guard request.httpBodyStream == nil else { return }
            let key = SentRequest(
                method: request.httpMethod, url: request.url?.absoluteString,
                headers: request.allHTTPHeaderFields, body: request.comparedBody)
            guard let page = sent.updateValue(sent.count + 1, forKey: key) else { return }
            throw APIError(
                .invalidRequest(
                    """
                    page \(sent.count) asks for page \(page) again, so the list would never end; \
                    nextInput(after:from:) has to return an input for another page, or nil after \
                    the last
                    """),
                request: request)
        }
    }
}

/// The parts of a request that distinguish it from earlier requests.
private struct SentRequest: Hashable {
    let method: String?
    let url: String?
    // Some servers expect the cursor in a header field, such as `Range` or `x-ms-continuation`.
    let headers: [String: String]?
    let body: URLRequest.ComparedBody?
}

extension Pages.AsyncIterator: DumpsWithoutSecrets {}
extension Pages: DumpsWithoutSecrets {}
