#if canImport(FoundationNetworking)
import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// The properties inside Foundation that a mock reads, and its behavior without them.
@Suite(.timeLimit(.minutes(10))) struct ReflectionTests {
    private let session = MockServer().session

    @Test func taskKeepsItsSessionWhereAMockLooks() {
        let task = session.dataTask(with: .make())
        defer { task.cancel() }

        #expect(
            task.loadingSession === session,
            """
            This Foundation has no URLSessionTask.session. Find the session of a task, for \
            URLSessionTask.loadingSession.
            """)
    }

    @Test func uploadTaskKeepsItsBodyWhereAMockLooks() {
        let task = session.uploadTask(with: .make(), from: Data("body".utf8))
        defer { task.cancel() }

        #expect(
            Reflection.hasProperty("knownBody", of: task),
            """
            This Foundation has no URLSessionUploadTask.knownBody. Find the body of an upload task, \
            for RequestBody.
            """)
    }

    @Test func sessionKeepsTheKindOfATaskWhereAMockLooks() {
        let registry = Reflection.property("taskRegistry", of: session)

        #expect(
            registry.flatMap { Reflection.property("behaviours", of: $0) } is [Int: Any],
            """
            This Foundation has no URLSession.taskRegistry with behaviours. Find out whether a \
            delegate receives the chunks of a task, for LoadingClient.
            """)
    }

    #if compiler(>=6.2)
    @Test(arguments: ["session", "knownBody", "taskRegistry", "behaviours", "workQueue"])
    func mockLoadsWithoutAPropertyThatIsNotPublic(name: String) async {
        // In a separate process, because the name is hidden from all tests.
        await #expect(processExitsWith: .success) { [name = name as String] in
            Reflection.hidden.withLock { $0 = [name] }
            let server = MockServer { request in
                request.path == "/moved"
                    ? .redirect(to: "/echo")
                    : .stream([Data("got ".utf8), request.body], contentType: "text/plain")
            }
            var request = URLRequest.make("POST", "/moved")

            let (moved, _) = try await server.session.send(request)
            #expect(moved == Data("got ".utf8))
            request = .make("POST", "/echo")
            request.httpBody = Data("body".utf8)
            let (echo, _) = try await server.session.send(request)
            #expect(echo == Data("got body".utf8))

            request.httpBody = nil
            do {
                let body = HTTPBody.data(Data("body".utf8))
                let (data, _) = try await server.session.upload(request, from: body) { _ in }
                #expect(data == Data("got body".utf8))
            } catch {
                // The load fails, because an empty body would be a wrong record of the request.
                #expect(name == "knownBody")
                #expect("\(error)".contains("does not reveal the body"))
            }
        }
    }
    #endif
}
#endif
