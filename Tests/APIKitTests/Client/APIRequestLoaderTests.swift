import APIKit
import APIKitTesting
import Dispatch
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct APIRequestLoaderTests {
    let server = MockServer.current

    @Test func loaderLoadsOutputForInput() async throws {
        server.on(.get("/v1/dogs/7"), reply: .json(Dog(id: 7)))

        #expect(try await loader(DogRequest()).load(7) == Dog(id: 7))
    }

    @Test func loaderLoadsWithoutInputOverItsURLSession() async throws {
        server.on(.get("/dogs"), reply: .text("hello"))
        let request = EchoRequest { try URLRequest(.get, "https://api.example.com/dogs") }

        let loader = APIRequestLoader(apiRequest: request, urlSession: server.session)

        #expect(try await loader.load() == "hello")
        #expect(loader.urlSession === server.session)
    }

    @Test func loaderUsesSharedSessionByDefault() {
        let loader = APIRequestLoader(apiRequest: EchoRequest())

        #expect(loader.urlSession === URLSession.shared)
        #expect(loader.responseQueue == nil)
    }

    @Test func loaderWithOtherTransportHasNoURLSession() {
        #expect(loader(EchoRequest(), over: server).urlSession == nil)
    }
}

// MARK: - Completion handlers

extension APIRequestLoaderTests {
    @Test func handlerReceivesOutput() async {
        server.on(.get("/v1/dogs/7"), reply: .json(Dog(id: 7)))

        let (dog, error) = await outcome(of: loader(DogRequest()), for: 7)

        #expect(dog == Dog(id: 7))
        #expect(error == nil)
    }

    @Test func handlerReceivesErrorOfSessionInAPIError() async {
        server.on(.get("/v1/dogs/7"), reply: .failure(.notConnectedToInternet))

        let (_, error) = await outcome(of: loader(DogRequest()), for: 7)

        #expect((error as? APIError)?.urlError?.code == .notConnectedToInternet)
    }

    @Test func handlerReceivesMakeRequestError() async {
        let request = EchoRequest { throw Refusal() }

        let (text, error) = await outcome(of: loader(request), for: ())

        #expect(text == nil)
        #expect(error as? Refusal == Refusal())
    }

    @Test func handlerReceivesVoidOrNilOutput() async {
        server.on(.delete("/v1/dogs"), reply: .status(204))
        server.on(.get("/v1/dogs"), reply: .status(204))

        let nothing: (Void?, (any Error)?) = await outcome(of: loader(DeleteRequest()), for: ())
        let noDog = await outcome(of: loader(OptionalRequest()), for: ())

        #expect(nothing.0 != nil && nothing.1 == nil)
        #expect(noDog.0 == .some(nil) && noDog.1 == nil)
    }

    @Test func taskEndsAfterHandlerReturns() async {
        server.on(.get("/v1/echo"), reply: .text("hello"))
        let loader = loader(EchoRequest(), on: DispatchQueue(label: "APIRequestLoaderTests"))

        for _ in 0..<100 {
            let events = Locked<[String]>([])
            let load = loader.loadAPIRequest(requestData: ()) { text, _ in
                events.append(text ?? "nil")
            }
            await load.value
            events.append("ended")
            #expect(events.current == ["hello", "ended"])
        }
    }

    @Test(arguments: [200, 404])
    func handlerIsCalledOnceAndOnItsQueue(status: Int) async {
        server.on(.get("/v1/echo"), reply: .status(status))
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "APIRequestLoaderTests")
        queue.setSpecific(key: key, value: "here")
        let places = Locked<[String?]>([])

        let load = loader(EchoRequest(), on: queue).loadAPIRequest(requestData: ()) { _, _ in
            places.append(DispatchQueue.getSpecific(key: key))
        }

        await load.value
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(places.current == ["here"])
    }

    @Test func handlerIsCalledAfterLoadReturns() async {
        let queue = DispatchQueue(label: "APIRequestLoaderTests")
        let loader = loader(EchoRequest { throw Refusal() }, on: queue)
        let events = Locked<[String]>([])

        await withCheckedContinuation { continuation in
            queue.async {
                loader.loadAPIRequest(requestData: ()) { _, _ in
                    events.append("handler")
                    continuation.resume()
                }
                events.append("returned")
            }
        }

        #expect(events.current == ["returned", "handler"])
    }
}

// MARK: - The task of a load

extension APIRequestLoaderTests {
    @Test func taskCancelsLoad() async {
        let clock = ManualClock()
        let events = Locked<[String]>([])
        server.on(.get("/v1/echo")) { _ in
            try await clock.sleep(for: .seconds(60))
            return .text("late")
        }

        let load = loader(EchoRequest()).loadAPIRequest(requestData: ()) { text, error in
            events.append("\(text ?? "nil") \(error is CancellationError)")
        }
        await clock.waitForSleepers()
        load.cancel()
        await load.value

        #expect(events.current == ["nil true"])
    }

    @Test func tasksOfTwoLoadsDiffer() async {
        server.on(.get("/v1/echo"), reply: .text("a"), .text("b"))
        let loader = loader(EchoRequest())

        let first = loader.loadAPIRequest(requestData: ()) { _, _ in }
        let second = loader.loadAPIRequest(requestData: ()) { _, _ in }
        let kept = first

        #expect(first != second)
        #expect(first == kept)
        await first.value
        await second.value
    }

    @Test func loaderCanBeReleasedDuringLoad() async {
        let clock = ManualClock()
        server.on(.get("/v1/echo")) { _ in
            try await clock.sleep(for: .seconds(60))
            return .text("late")
        }
        let text = Locked<String?>(nil)

        let load = loader(EchoRequest()).loadAPIRequest(requestData: ()) { output, _ in
            text.set(output)
        }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(60))
        await load.value

        #expect(text.current == "late")
    }
}

extension APIRequestLoaderTests {
    private func loader<Request: APIRequest>(
        _ request: Request,
        over transport: (any HTTPTransport)? = nil,
        on queue: DispatchQueue? = nil
    ) -> APIRequestLoader<Request> {
        APIRequestLoader(
            apiRequest: request, client: .make(transport: transport ?? server),
            responseQueue: queue)
    }

    /// Returns the arguments of the completion handler, and traps if it is called again.
    private func outcome<Request: APIRequest>(
        of loader: APIRequestLoader<Request>,
        for input: Request.RequestDataType
    ) async -> (Request.ResponseDataType?, (any Error)?) {
        await withCheckedContinuation { continuation in
            loader.loadAPIRequest(requestData: input) { output, error in
                continuation.resume(returning: (output, error))
            }
        }
    }
}

private struct DeleteRequest: APIRequest {
    typealias ResponseDataType = Void

    func makeRequest(from data: Void) throws -> URLRequest { try URLRequest(.delete, "dogs") }
}

private struct OptionalRequest: APIRequest {
    typealias ResponseDataType = Dog?

    func makeRequest(from data: Void) throws -> URLRequest { try URLRequest(.get, "dogs") }
}
