import APIKit
import Foundation
import Testing

/// Tests of the list with a handwritten mock.
///
/// The mock completes a call at the moment that the test chooses, and needs no HTTP. See
/// `ListingsTests` for tests with a server.
@MainActor @Suite struct ListingsModelTests {
    let service = MockDogPatchService()

    @Test func modelUsesTheSharedClientByDefault() {
        #expect(ListingsModel().service as? DogPatchClient === DogPatchClient.shared)
    }

    @Test func modelKeepsItsCall() {
        let model = ListingsModel(service: service)

        model.refresh()

        #expect(service.calls.count == 1)
        #expect(model.call == service.calls.first)
    }

    @Test func secondRefreshMakesNoCallWhileOneIsInFlight() {
        let model = ListingsModel(service: service)

        model.refresh()
        model.refresh()

        #expect(service.calls.count == 1)
    }

    @Test(arguments: [true, false])
    func endedCallIsCleared(succeeds: Bool) {
        let model = ListingsModel(service: service)
        model.refresh()
        #expect(model.call != nil)

        if succeeds { service.complete(with: []) } else { service.fail(with: APIError(.transport)) }

        #expect(model.call == nil)
    }

    @Test func refreshMakesAnotherCallAfterTheFirstHasCompleted() {
        let model = ListingsModel(service: service)

        model.refresh()
        service.complete(with: [])
        model.refresh()

        #expect(model.call == service.calls.last)
        #expect(service.calls.count == 2)
    }

    @Test func modelShowsTheDogs() {
        let model = ListingsModel(service: service)

        model.refresh()
        service.complete(with: [.make(name: "Mango", breed: "Shiba Inu", cost: 1250)])

        #expect(model.dogs.map(\.title) == ["Mango, Shiba Inu"])
        #expect(model.dogs.map(\.price) == ["$ 1250"])
    }

    @Test func modelKeepsItsDogsWhenARefreshFails() {
        let model = ListingsModel(service: service)

        model.refresh()
        service.complete(with: [.make()])
        model.refresh()
        service.fail(with: APIError(.transport))

        #expect(model.dogs.count == 1)
        #expect(model.errorMessage == "The dogs could not be loaded.")
    }

    @Test func successfulRefreshClearsTheErrorMessage() {
        let model = ListingsModel(service: service)

        model.refresh()
        service.fail(with: APIError(.transport))
        #expect(model.errorMessage != nil)
        model.refresh()
        service.complete(with: [])

        #expect(model.errorMessage == nil)
    }
}

// MARK: - Content of the screen

extension ListingsModelTests {
    @Test func listReloadsAfterItsDogsAreSet() {
        let model = ListingsModel(service: service)
        model.refresh()
        var shown: [[String]] = []
        model.onChange = { shown.append(model.dogs.map(\.title)) }

        service.complete(with: [.make(name: "Mango", breed: "Shiba Inu")])

        #expect(shown == [["Mango, Shiba Inu"]])
    }

    @Test func listReloadsAfterItsErrorMessageIsSet() {
        let model = ListingsModel(service: service)
        model.refresh()
        var shown: [String?] = []
        model.onChange = { shown.append(model.errorMessage) }

        service.fail(with: APIError(.transport))

        #expect(shown == ["The dogs could not be loaded."])
    }

    @Test func screenShowsThatItRefreshesUntilTheCallHasCompleted() {
        let model = ListingsModel(service: service)
        var shown: [Bool] = []
        model.onChange = { shown.append(model.isRefreshing) }

        model.refresh()
        service.complete(with: [])
        model.refresh()
        service.fail(with: APIError(.transport))

        #expect(shown == [true, false, true, false])
    }
}

// MARK: - Appearing and leaving

extension ListingsModelTests {
    @Test func appearingRefreshes() {
        let model = ListingsModel(service: service)

        model.appear()

        #expect(service.calls.count == 1)
    }

    @Test func leavingCancelsTheCall() {
        let model = ListingsModel(service: service)

        model.appear()
        model.leave()

        #expect(service.calls.first?.isCancelled == true)
        #expect(!model.isRefreshing)
    }

    @Test func canceledCallShowsNoError() {
        let model = ListingsModel(service: service)

        model.appear()
        model.leave()
        service.fail(with: CancellationError())

        #expect(model.errorMessage == nil)
    }

    @Test func appearingAgainRefreshesBeforeTheCanceledCallHasCompleted() {
        let model = ListingsModel(service: service)

        model.appear()
        model.leave()
        model.appear()
        service.fail(with: CancellationError())

        #expect(service.calls.count == 2)
        #expect(model.call == service.calls.last)
    }
}
