extension APIClient {
    /// Returns a copy without the interceptors of a type, as for a call that wants none of them.
    ///
    /// ```swift
    /// let dogs = try await client.without(Retry.self).load(DogsRequest(), with: "akita")
    /// ```
    ///
    /// The interceptors that stay are the same ones, so what they share with the calls of this
    /// client they go on sharing.
    public func without<Interceptor: APIInterceptor>(_ type: Interceptor.Type) -> APIClient {
        var client = self
        client.interceptors.removeAll { $0 is Interceptor }
        return client
    }
}
