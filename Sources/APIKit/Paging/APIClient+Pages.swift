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
