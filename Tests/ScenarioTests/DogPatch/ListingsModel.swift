/// The list of the dogs that are for sale, which the user pulls down to refresh.
@MainActor final class ListingsModel {
    private(set) var dogs: [DogViewModel] = []
    private(set) var errorMessage: String?
    /// The call in flight, if there is one.
    private(set) var call: Task<Void, Never>?
    let service: any DogPatchService

    init(service: any DogPatchService = DogPatchClient.shared) {
        self.service = service
    }

    func refresh() {
        guard call == nil else { return }
        call = service.getDogs { dogs, error in
            // A completion handler cannot say which actor it is on; the queue of the service is
            // that of the main one.
            MainActor.assumeIsolated { self.show(dogs, error) }
        }
    }

    func leave() {
        call?.cancel()
    }

    private func show(_ dogs: [Dog]?, _ error: (any Error)?) {
        call = nil
        if let dogs {
            self.dogs = dogs.map(DogViewModel.init)
            errorMessage = nil
        } else if !(error is CancellationError) {
            errorMessage = "The dogs could not be fetched."
        }
    }
}
