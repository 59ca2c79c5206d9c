/// What the screens of the app need of the server.
protocol DogPatchService {
    /// Gets the dogs that are for sale.
    ///
    /// - Returns: The handle of the call, to keep while it is in flight, and to cancel it.
    func getDogs(
        completion: @escaping @Sendable ([Dog]?, (any Error)?) -> Void
    ) -> Task<Void, Never>
}
