import Foundation

/// A service that answers when the test says so.
final class MockDogPatchService: DogPatchService {
    private(set) var calls: [Task<Void, Never>] = []
    private var completions: [@Sendable ([Dog]?, (any Error)?) -> Void] = []

    func getDogs(
        completion: @escaping @Sendable ([Dog]?, (any Error)?) -> Void
    ) -> Task<Void, Never> {
        let call = Task {}
        calls.append(call)
        completions.append(completion)
        return call
    }

    func answer(_ dogs: [Dog]) {
        completions.removeFirst()(dogs, nil)
    }

    func fail(_ error: any Error) {
        completions.removeFirst()(nil, error)
    }
}

extension Dog {
    /// A dog of which a test says only what it is about.
    static func make(
        name: String = "Mango", breed: String = "Shiba Inu", cost: Decimal = 1250
    ) -> Dog {
        Dog(id: UUID(), name: name, breed: breed, cost: cost, created: .now)
    }
}
