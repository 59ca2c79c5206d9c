import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn) struct CannedTransportTests {
    private let transport = CannedTransport()
    private var client: APIClient { .make(transport) }

    @Test func eachInputHasItsResponse() async throws {
        transport.reply(to: DogRequest(), with: 1, .json(Dog(id: 1)))
        transport.reply(to: DogRequest(), with: 2, .json(text: #"{"id": 2, "name": "Fido"}"#))

        #expect(try await client.load(DogRequest(), with: 1) == Dog(id: 1))
        #expect(try await client.load(DogRequest(), with: 2) == Dog(id: 2, name: "Fido"))
    }

    @Test func lastResponseForAnInputCounts() async throws {
        transport.reply(to: DogRequest(), with: 1, .status(500))
            .reply(to: DogRequest(), with: 1, .json(Dog()))
            .reply(to: DogRequest(), with: 2, .status(500))

        #expect(try await client.load(DogRequest(), with: 1) == Dog())
    }

    @Test func typeAndItsPropertiesTellRequestsApart() async throws {
        let post = EchoRequest { try URLRequest(.post, "echo") }
        transport.reply(to: EchoRequest(), .json(text: "echo"))
        transport.reply(to: DataRequest(), .json(text: "data"))
        transport.reply(to: post, .json(text: "posted"))

        #expect(try await client.load(EchoRequest()) == "echo")
        #expect(try await client.load(DataRequest()) == Data("data".utf8))
        #expect(try await client.load(post) == "posted")
    }

    @Test func statusOfARefusalReachesTheClientWithItsBody() async throws {
        transport.reply(to: DogRequest(), with: 1, .status(404))
        transport.reply(to: DogRequest(), with: 2, .json(["code": 7], status: 422))

        await expectError(.status(404)) { try await client.load(DogRequest(), with: 1) }
        let error = await expectError(.status(422)) {
            try await client.load(DogRequest(), with: 2)
        }
        #expect(try error?.decodeBody([String: Int].self) == ["code": 7])
        #expect(error?.response?.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }

    @Test func valueThatCannotBeEncodedFailsTheRequest() async throws {
        transport.reply(to: DogRequest(), with: 1, .json(Double.nan))

        let error = await #expect(throws: APIError.self) {
            try await client.load(DogRequest(), with: 1)
        }

        #expect(
            error?.description == """
                GET https://api.example.com/v1/dogs/1 cannot be sent: a Double cannot be encoded as \
                JSON: the top level cannot be encoded.
                """)
    }

    @Test func responseHasItsDataAndItsHeaderFields() async throws {
        let response = CannedTransport.Response.data(Data("a".utf8), contentType: "image/png")
            .header("Link", "<?page=1>; rel=next").header("link", "<?page=2>; rel=next")
        transport.reply(to: DataRequest(), response)

        let received = try await client.response(to: DataRequest())

        #expect(received.value == Data("a".utf8))
        #expect(received.http.value(forHTTPHeaderField: "Content-Type") == "image/png")
        #expect(received.http.link(relation: "next")?.query == "page=2")
    }

    @Test(arguments: [
        ("X Tag", "a", #""X Tag" is not a valid header name"#),
        ("X-Tag", "a\r\nb", "the value of its header X-Tag contains a control character"),
    ])
    func wrongHeaderFieldFailsTheRequest(name: String, value: String, text: String) async {
        transport.reply(to: DataRequest(), .status(200).header(name, value))

        await expectError(.invalidRequest(text)) { try await client.load(DataRequest()) }
    }

    @Test func statusOutsideOfHTTPDoesNotTrap() async throws {
        transport.reply(to: DogRequest(), with: 1, .status(-1))

        await #expect(throws: APIError.self) { try await client.load(DogRequest(), with: 1) }
    }
}

// MARK: - Equal requests

extension CannedTransportTests {
    /// A request type whose body has members in any order, or a new boundary.
    private struct SaveRequest: APIRequest {
        typealias ResponseDataType = String

        let body: @Sendable ([String: String]) throws -> HTTPBody

        func makeRequest(from members: [String: String]) throws -> URLRequest {
            try URLRequest(.post, "dogs", body: body(members))
        }
    }

    @Test(arguments: [
        SaveRequest { try .json($0) },
        SaveRequest { members in
            .multipart(
                members.sorted { $0 < $1 }
                    .reduce(into: [:]) { $0.append($1.key, .text($1.value)) })
        },
    ])
    private func inputsAreToldApartByTheBody(request: SaveRequest) async throws {
        let names = (0..<30).map { "name\($0)" }
        let rex = Dictionary(uniqueKeysWithValues: names.map { ($0, "Rex") })
        let same = Dictionary(uniqueKeysWithValues: names.reversed().map { ($0, "Rex") })
        let fido = rex.merging(["name7": "Fido"]) { $1 }
        transport.reply(to: request, with: rex, .json(text: "Rex"))
        transport.reply(to: request, with: fido, .json(text: "Fido"))

        #expect(try await client.load(request, with: same) == "Rex")
        #expect(try await client.load(request, with: fido) == "Fido")
        await #expect(throws: APIError.self) { try await client.load(request, with: [:]) }
    }

    @Test func uploadIsToldByItsRequestAndReportsItsProgress() async throws {
        let request = EchoRequest { try URLRequest(.post, "photos") }
        transport.reply(to: request, .json(text: "stored"))
        let progress = Locked<[Int]>([])

        let text = try await client.upload(request, from: .data(Data(count: 7))) { step in
            progress.withLock { $0.append(step.completedBytes) }
        }

        #expect(text == "stored")
        #expect(progress.withLock { $0.last } == 7)
    }

    @Test func streamReceivesTheBody() async throws {
        transport.reply(to: EchoRequest(), .json(text: "ok"))

        #expect(try await client.stream(EchoRequest()).value.data() == Data("ok".utf8))
    }

    @Test func interceptorsDoNotChangeWhichResponseIsSent() async throws {
        transport.reply(to: DogRequest(), with: 1, .json(Dog()))
        let client = APIClient.make(
            transport,
            RequestAdapter { request in
                request.url?.append(queryItems: [URLQueryItem(name: "key", value: "7")])
            })

        let response = try await client.response(to: DogRequest(), with: 1)

        #expect(response.value == Dog())
        #expect(
            response.http.url?.absoluteString == "https://api.example.com/v1/dogs/1?key=7")
    }
}

// MARK: - Delays

extension CannedTransportTests {
    @Test func responseArrivesAfterItsDelay() async throws {
        let clock = ImpatientClock()
        let transport = CannedTransport(clock: clock)
            .reply(to: DogRequest(), with: 1, .json(Dog()).delayed(.seconds(2)))
            .reply(to: DogRequest(), with: 2, .failure(CannedError()).delayed(.seconds(3)))
            .reply(to: DogRequest(), with: 3, .json(Dog()).delayed(.seconds(-1)))

        _ = try await APIClient.make(transport).load(DogRequest(), with: 1)
        await expectError(.transport) {
            try await APIClient.make(transport).load(DogRequest(), with: 2)
        }
        _ = try await APIClient.make(transport).load(DogRequest(), with: 3)

        #expect(clock.waits == [.seconds(2), .seconds(3)])
    }

    private struct CannedError: Error {}

    @Test(arguments: [
        CannedTransport.Response.never, .never.delayed(.zero),
        .json(Dog()).delayed(.seconds(Int64.max)),
    ])
    func canceledTaskEndsTheWait(response: CannedTransport.Response) async throws {
        let clock = ManualClock()
        let transport = CannedTransport(clock: clock)
            .reply(to: DogRequest(), with: 1, response)
        let observer = SendObserver()
        let client = APIClient.make(transport: transport, observers: { _ in [observer] })

        let load = Task { try await client.load(DogRequest(), with: 1) }
        try await observer.sent.value
        load.cancel()

        await #expect(throws: CancellationError.self) { try await load.value }
    }

    private struct SendObserver: APIObserver {
        let sent = Waiter<Void>()

        func requestSent(_ request: URLRequest, attempt: Int) { sent.answer(.success(())) }
    }

    @Test func responseCanBeSetWhileRequestsWait() async throws {
        let clock = ManualClock()
        let transport = CannedTransport(clock: clock)
            .reply(to: DogRequest(), with: 1, .json(Dog()).delayed(.seconds(1)))
        let client = APIClient.make(transport)

        async let first = client.load(DogRequest(), with: 1)
        await clock.waitForSleepers()
        transport.reply(to: DogRequest(), with: 1, .status(500))
        await expectError(.status(500)) { try await client.load(DogRequest(), with: 1) }
        clock.advance(by: .seconds(1))

        #expect(try await first == Dog())
    }
}

// MARK: - Requests without a response

extension CannedTransportTests {
    private struct SearchRequest: APIRequest {
        struct Input: Sendable { var breed: String, password = "hunter2" }

        func makeRequest(from input: Input) throws -> URLRequest {
            try URLRequest(.get, "dogs/\(input.breed)")
        }
    }

    @Test func errorNamesTheRequestTypeAndTheInput() async throws {
        transport.reply(to: DogRequest(), with: 1, .json(Dog()))

        let error = await #expect(throws: APIError.self) {
            try await client.load(DogRequest(), with: 7)
        }

        #expect(
            error?.description == """
                GET https://api.example.com/v1/dogs/7 cannot be sent: the CannedTransport has no \
                response for DogRequest with the input 7; set one with reply(to:with:_:).
                """)
    }

    @Test func errorMasksSecretsOfTheInput() async throws {
        let error = await #expect(throws: APIError.self) {
            try await client.load(SearchRequest(), with: .init(breed: "akita"))
        }

        #expect(error?.description.contains("hunter2") == false)
        #expect(error?.description.contains(#"SearchRequest with the input Input("#) == true)
    }

    @Test func errorNamesOnlyTheTypeIfItNeedsNoInput() async throws {
        let error = await #expect(throws: APIError.self) { try await client.load(EchoRequest()) }

        #expect(error?.description.contains("no response for EchoRequest; set one") == true)
    }

    @Test func requestWithoutAClientFails() async throws {
        let error = await #expect(throws: APIError.self) { try await transport.send(.make()) }

        #expect(
            error?.description == """
                The request cannot be sent: a CannedTransport needs an APIClient that sends it.
                """)
    }
}
