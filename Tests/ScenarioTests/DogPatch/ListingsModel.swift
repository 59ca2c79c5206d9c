/// The list of the dogs that are for sale, which the user pulls down to refresh.
@MainActor final class ListingsModel {
    private(set) var dogs: [DogViewModel] = []
    private(set) var errorMessage: String?
    /// The call in flight, if there is one.
    private(set) var call: Task<Void, Never>?
    /// Called after each change, for the screen to reload its list.
    var onChange: () -> Void = {}
    let service: any DogPatchService

    /// Whether the screen shows that it refreshes.
    var isRefreshing: Bool { call != nil }

    init(service: any DogPatchService = DogPatchClient.shared) {
        self.service = service
    }

    func appear() {
        refresh()
    }

    func leave() {
        call?.cancel()
        call = nil
        onChange()
    }

    /// Loads the dogs, unless a call is in flight.
    func refresh() {
        guard call == nil else { return }
        call = service.getDogs { dogs, error in self.show(dogs, error) }
        onChange()
    }

    private func show(_ dogs: [Dog]?, _ error: (any Error)?) {
        // `leave` has already cleared this call, and the next one may be in flight.
        if error is CancellationError { return }
        call = nil
        if let dogs {
            self.dogs = dogs.map(DogViewModel.init)
            errorMessage = nil
        } else {
            // Keeps the dogs, because an old list is more useful than an empty one.
            errorMessage = "The dogs could not be loaded."
        }
        onChange()
    }
}
