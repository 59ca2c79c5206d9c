/// The requests that the screens of the app make.
///
/// Screens depend on a protocol, so a test can pass a mock. A mock that subclassed the client would run
/// its real initializer, and send a real request for each method that it does not override.
protocol DogPatchService {
    /// Loads the dogs that are for sale.
    ///
    /// - Parameter completion: Called once, on the main actor. The compiler checks that.
    /// - Returns: The task of the call, to keep while it is in flight and to cancel.
    func getDogs(
        completion: @escaping @MainActor ([Dog]?, (any Error)?) -> Void
    ) -> Task<Void, Never>
}
