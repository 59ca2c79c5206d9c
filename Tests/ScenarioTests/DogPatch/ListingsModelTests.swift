import APIKit
import Foundation
import Testing

/// The rules of the list, step by step.
///
/// A double written by hand is at its best here: it answers at the very moment that a test is about,
/// and knows nothing of HTTP.
@MainActor @Suite struct ListingsModelTests {
    let service = MockDogPatchService()

    @Test func asksTheSharedClientUnlessToldOtherwise() {
        #expect(ListingsModel().service as? DogPatchClient === DogPatchClient.shared)
    }

    @Test func keepsTheHandleOfItsCall() {
        let model = ListingsModel(service: service)

        model.refresh()

        #expect(service.calls.count == 1)
        #expect(model.call == service.calls.first)
    }

    @Test func makesNoSecondCallWhileOneIsInFlight() {
        let model = ListingsModel(service: service)

        model.refresh()
        model.refresh()

        #expect(service.calls.count == 1)
    }

    @Test func clearsTheHandleWhenTheCallIsComplete() {
        let model = ListingsModel(service: service)

        model.refresh()
        service.answer([])

        #expect(model.call == nil)
    }

    @Test func clearsTheHandleWhenTheCallHasFailed() {
        let model = ListingsModel(service: service)

        model.refresh()
        service.fail(APIError(.transport))

        #expect(model.call == nil)
    }

    @Test func refreshesAgainOnceTheCallIsComplete() {
        let model = ListingsModel(service: service)

        model.refresh()
        service.answer([])
        model.refresh()

        #expect(model.call == service.calls.last)
        #expect(service.calls.count == 2)
    }

    @Test func showsTheDogs() {
        let model = ListingsModel(service: service)

        model.refresh()
        service.answer([.make(name: "Mango", breed: "Shiba Inu", cost: 1250)])

        #expect(model.dogs.map(\.title) == ["Mango, Shiba Inu"])
        #expect(model.dogs.map(\.price) == ["$ 1250"])
    }

    @Test func keepsTheDogsWhenARefreshFails() {
        let model = ListingsModel(service: service)

        model.refresh()
        service.answer([.make()])
        model.refresh()
        service.fail(APIError(.transport))

        #expect(model.dogs.count == 1)
        #expect(model.errorMessage == "The dogs could not be fetched.")
    }

    @Test func forgetsTheErrorWhenTheNextRefreshSucceeds() {
        let model = ListingsModel(service: service)

        model.refresh()
        service.fail(APIError(.transport))
        model.refresh()
        service.answer([])

        #expect(model.errorMessage == nil)
    }
}
