import APIKit
import APIKitTesting
import Foundation
import Testing

/// A call that ends early closes its connection, for every kind of session.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct ConnectionClosingTests {
    enum Session: CaseIterable {
        case shared, withCache, withoutCache, withDelegate

        func make() -> URLSession {
            switch self {
            case .shared: .shared
            case .withCache: URLSession(configuration: .ephemeral)
            case .withoutCache: .plain()
            case .withDelegate: .plain(delegate: EventDelegate())
            }
        }
    }

    enum Call: CaseIterable {
        case send, sendWithinItsBody, stream, streamWithinItsBody, upload

        /// Whether the server sends the start of a response.
        var hasHead: Bool { self == .sendWithinItsBody || self == .streamWithinItsBody }

        func run(_ url: URL, in session: URLSession) async throws {
            var request = URLRequest(url: url)
            switch self {
            case .send, .sendWithinItsBody: _ = try await session.send(request)
            case .stream, .streamWithinItsBody: _ = try await session.stream(request).0.data()
            case .upload:
                request.httpMethod = "POST"
                _ = try await session.upload(request, from: .data(Data("body".utf8))) { _ in }
            }
        }
    }

    private let arrived = Waiter<Void>()
    private let closed = Waiter<Void>()

    /// A server that never completes its response.
    private func silentServer(for call: Call) throws -> LoopbackServer {
        try LoopbackServer { [arrived, closed] _, connection in
            if call.hasHead {
                connection.write(LoopbackServer.head(200, ["Content-Length: 10"]) + "start")
            }
            arrived.signal()
            connection.skipToEnd()
            closed.signal()
        }
    }

    @Test(arguments: Session.allCases, Call.allCases)
    func canceledCallClosesItsConnection(session: Session, call: Call) async throws {
        let server = try silentServer(for: call)
        let (session, url) = (session.make(), server.url("/"))
        let load = Task { try await call.run(url, in: session) }
        try await arrived.wait()

        load.cancel()

        await #expect(throws: CancellationError.self) { try await load.value }
        try await closed.wait()
    }

    // On Linux another session makes the tasks.
    #if !canImport(FoundationNetworking)
    @Test(arguments: [Session.withCache, .withoutCache, .withDelegate], Call.allCases)
    func invalidatedSessionCancelsItsCalls(session: Session, call: Call) async throws {
        let server = try silentServer(for: call)
        let (session, url) = (session.make(), server.url("/"))
        let load = Task { try await call.run(url, in: session) }
        try await arrived.wait()

        session.invalidateAndCancel()

        let error = await #expect(throws: URLError.self) { try await load.value }
        #expect(error?.code == .cancelled)
        try await closed.wait()
    }
    #endif

    // On Apple platforms, a session may retain itself until it is invalidated.
    #if canImport(FoundationNetworking)
    @Test func sessionIsReleasedAfterItsLastCall() async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(200, body: "ended") }
        var session: URLSession? = .plain()
        let reference = WeakReference(object: session)
        _ = try await session?.send(URLRequest(url: server.url("/")))

        session = nil

        await until("the session is released") { reference.object == nil }
    }
    #endif

    @Test(arguments: Call.allCases)
    func sessionBecomesInvalidAfterUnsupportedCall(call: Call) async throws {
        let delegate = EventDelegate()
        let session = URLSession.plain(delegate: delegate)

        let error = try await #require(throws: URLError.self) {
            try await call.run(.make("dog://127.0.0.1/"), in: session)
        }
        session.finishTasksAndInvalidate()

        #expect(error.code == .unsupportedURL)
        try await delegate.invalidated.wait()
    }

    #if !canImport(FoundationNetworking)
    @Test(arguments: Call.allCases)
    func sessionBecomesInvalidAfterItsLastCall(call: Call) async throws {
        let gate = DispatchSemaphore(value: 0)
        let delegate = EventDelegate()
        let server = try LoopbackServer { [arrived] _, connection in
            connection.write(LoopbackServer.head(200, ["Content-Length: 4"]) + "st")
            arrived.signal()
            gate.waitForSignal()
            #expect(!delegate.isInvalid.current)
            connection.write("op")
        }
        let (session, url) = (URLSession.plain(delegate: delegate), server.url("/"))
        let load = Task { try await call.run(url, in: session) }
        try await arrived.wait()

        session.finishTasksAndInvalidate()
        gate.signal()

        try await load.value
        try await delegate.invalidated.wait()
    }
    #endif
}
