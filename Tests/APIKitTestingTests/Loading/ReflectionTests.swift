#if canImport(FoundationNetworking)
import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// The private properties of Foundation that a mock reads, and its behavior without them.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct ReflectionTests {
    private let session = MockServer().session

    @Test func mockFindsTheSessionOfATask() {
        let task = session.dataTask(with: .make())
        defer { task.cancel() }

        #expect(
            task.loadingSession === session,
            """
            This Foundation has no URLSessionTask.session. URLSessionTask.loadingSession must \
            find the session in another way.
            """)
    }

    @Test func mockFindsTheBodyOfAnUploadTask() {
        let task = session.uploadTask(with: .make(), from: Data("body".utf8))
        defer { task.cancel() }

        #expect(
            Reflection.hasProperty("knownBody", of: task),
            """
            This Foundation has no URLSessionUploadTask.knownBody. RequestBody must find the body \
            of an upload task in another way.
            """)
    }

    @Test func mockFindsTheKindOfATask() {
        let registry = Reflection.property("taskRegistry", of: session)

        #expect(
            registry.flatMap { Reflection.property("behaviours", of: $0) } is [Int: Any],
            """
            This Foundation has no URLSession.taskRegistry with behaviours. LoadingClient must \
            find in another way whether a delegate receives the chunks of a task.
            """)
    }

    #if compiler(>=6.2)
    // A process reads the work queue once.
    @Test(arguments: ["workQueue", "session knownBody taskRegistry behaviours"])
    func mockLoadsWithoutAPrivateProperty(names: String) async {
        // Runs in a separate process, because hiding a property affects the whole process.
        await #expect(processExitsWith: .success) { [names = names as String] in
            for name in names.split(separator: " ") { try await Self.load(without: "\(name)") }
        }
    }

    private static func load(without name: String) async throws {
        Reflection.hidden.withLock { $0 = [name] }
        let server = MockServer { request in
            request.path == "/moved"
                ? .redirect(to: "/echo")
                : .stream([Data("got ".utf8), request.body], contentType: "text/plain")
        }
        var request = URLRequest.make("POST", "/moved")

        let (moved, _) = try await server.session.send(request)
        #expect(moved == Data("got ".utf8), "without \(name)")
        request = .make("POST", "/echo")
        request.httpBody = Data("body".utf8)
        let (echo, _) = try await server.session.send(request)
        #expect(echo == Data("got body".utf8), "without \(name)")

        request.httpBody = nil
        do {
            let body = HTTPBody.data(Data("body".utf8))
            let (data, _) = try await server.session.upload(request, from: body) { _ in }
            #expect(data == Data("got body".utf8), "without \(name)")
        } catch {
            // The load fails here. Otherwise the server would record an empty body.
            #expect(name == "knownBody")
            #expect("\(error)".contains("does not reveal the body"))
        }
    }
    #endif
}
#endif
