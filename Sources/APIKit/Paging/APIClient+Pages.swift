extension APIClient {
    /// Returns the pages of a list, which are loaded as they are asked for.
    ///
    /// ```swift
    /// for try await dogs in client.pages(of: DogsRequest(), from: 1) {
    ///     show(dogs)
    /// }
    /// ```
    ///
    /// Each page is a call of its own: the interceptors handle every one, and a ``Deadline`` is
    /// for one page.
    ///
    /// - Parameters:
    ///   - request: The request type.
    ///   - input: The input to ask for the first page with.
    /// - Returns: The pages, none of which is loaded yet.
    public func pages<Request: PagedAPIRequest>(
        of request: Request,
        from input: Request.RequestDataType
    ) -> Pages<Request> {
        Pages(client: self, request: request, input: input)
    }
}
