#if canImport(FoundationNetworking)
import APIKitTesting
import Foundation
import Testing

@testable import APIKit

/// The internals of Foundation that the transport reads, and its behavior without them.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct ReflectionTests {
    @Test func taskStoresItsProtocolInExpectedProperty() {
        let task = URLSession.plain().dataTask(with: URLRequest(url: URL(filePath: "/")))
        defer { task.cancel() }

        #expect(
            Reflection.property("_protocolStorage", of: task) != nil,
            """
            This Foundation has no URLSessionTask._protocolStorage. Find the URLProtocol of a task, \
            for URLSessionTask.redirectBody.
            """)
    }

    @Test func protocolStoresBodyOfRedirectInExpectedProperty() async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(302, body: "moved") }

        let (data, _) = try await URLSession.plain().send(URLRequest(url: server.url("/")))

        #expect(
            data == Data("moved".utf8),
            """
            This Foundation has no _HTTPURLProtocol.lastRedirectBody. Find the body of a redirect \
            without a Location, for URLSessionTask.redirectBody.
            """)
    }

    @Test func sessionStoresItsQueueInExpectedProperty() {
        #expect(
            Reflection.property("workQueue", of: URLSession.plain()) is DispatchQueue,
            """
            This Foundation has no URLSession.workQueue. Find an object that a session alone retains, \
            for Sibling.of(_:), and the queue of URL protocols, for LoadingThread.
            """)
    }

    @Test func protocolOfTheSystemIsInTheModuleOfURLSession() throws {
        let request = try URLRequest.make()

        #expect(
            !URLSession.plain().usesOwnProtocol(for: request),
            """
            In this Foundation the protocol for HTTP is in another module than URLSession. \
            Distinguish it from those of an app, for URLSession.usesOwnProtocol(for:).
            """)
        #expect(MockServer().session.usesOwnProtocol(for: request))
    }

    #if compiler(>=6.2)
    @Test func transportWorksWithoutPrivateProperties() async {
        // Runs in a separate process, because the names are hidden process-wide.
        await #expect(processExitsWith: .success) {
            for name in ["_protocolStorage", "lastRedirectBody", "workQueue"] {
                Reflection.hidden.set([name])
                try await Self.expectSafeLoads()
            }
        }
    }
    #endif

    private static func expectSafeLoads() async throws {
        let arrived = Waiter<Void>()
        let closed = Waiter<Void>()
        let server = try LoopbackServer { request, connection in
            switch request.path {
            case "/keeps": connection.write(LoopbackServer.response(307, ["Location: /end"]))
            case "/nowhere": connection.write(LoopbackServer.response(302, body: "moved"))
            case "/end": connection.write(LoopbackServer.response(200, body: request.body))
            default:
                arrived.signal()
                connection.skipToEnd()
                closed.signal()
            }
        }
        let session = URLSession.plain()
        let folder = try TemporaryDirectory()
        let body = HTTPBody.file(try folder.file())
        var request = URLRequest(url: server.url("/keeps"))
        request.httpMethod = "POST"
        request.httpBody = Data("content".utf8)
        #expect(try await LoadingWay.whole.load(request, by: session).0 == "content")
        #expect(try await LoadingWay.stream.load(request, by: session).0 == "content")
        request.httpBody = nil
        #expect(try await session.upload(request, from: body) { _ in }.0 == Data("content".utf8))

        let nowhere = URLRequest(url: server.url("/nowhere"))
        #expect(try await LoadingWay.whole.load(nowhere, by: session).1.statusCode == 302)

        request.url = server.url("/silent")
        let upload = Task { [request] in try await session.upload(request, from: body) { _ in } }
        try await arrived.wait()
        upload.cancel()
        await #expect(throws: CancellationError.self) { try await upload.value }
        try await closed.wait()
    }
}
#endif
