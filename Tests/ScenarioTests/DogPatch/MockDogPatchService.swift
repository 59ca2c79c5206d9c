import Foundation
import Testing

/// A service whose calls the test completes.
final class MockDogPatchService: DogPatchService {
    private(set) var calls: [Task<Void, Never>] = []
    private var completions: [@MainActor ([Dog]?, (any Error)?) -> Void] = []

    func getDogs(
        completion: @escaping @MainActor ([Dog]?, (any Error)?) -> Void
    ) -> Task<Void, Never> {
        let call = Task {}
        calls.append(call)
        completions.append(completion)
        return call
    }

    /// Completes the earliest call in flight with dogs.
    @MainActor func complete(with dogs: [Dog]) {
        completeCall(dogs, nil)
    }

    /// Completes the earliest call in flight with an error.
    @MainActor func fail(with error: any Error) {
        completeCall(nil, error)
    }

    @MainActor private func completeCall(_ dogs: [Dog]?, _ error: (any Error)?) {
        guard !completions.isEmpty else {
            Issue.record("No call is in flight.")
            return
        }
        completions.removeFirst()(dogs, error)
    }
}

extension Dog {
    /// Returns a dog with a default for each value.
    static func make(
        name: String = "Mango", breed: String = "Shiba Inu", cost: Decimal = 1250
    ) -> Dog {
        Dog(id: UUID(), name: name, breed: breed, cost: cost, created: .now)
    }
}
