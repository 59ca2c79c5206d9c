import APIKit
import Foundation
import Testing

extension UploadTests {
    @Test(arguments: [UploadKind.data, .file, .form])
    func challengeSendsTheWholeBodyAgain(kind: UploadKind) async throws {
        let delegate = ChallengeDelegate { _ in (.useCredential, .rex) }
        try await LocalServer.run(respond: { request in
            request.header("Authorization") == "Basic cmV4OmJvbmU="
                ? .text("welcome")
                : .text("who?", status: 401, headers: ["WWW-Authenticate": #"Basic realm="x""#])
        }) { server in
            let body = try kind.body(in: directory)

            let text = try await upload(
                body, with: server.request("/photos", method: "POST"),
                by: URLSession.make(delegate: delegate))

            #expect(text == "welcome")
            #expect(await server.requests.last?.body == (try body.data()))
            #expect(progress.last?.fraction == 1)
        }
    }

    // A session sends a form with files from a copy, so that the request states its length.
    /// The ways in which an upload ends.
    enum End: CaseIterable { case output, refusal, failure, cancellation }

    @Test(arguments: End.allCases)
    func copyOfAFormIsDeleted(end: End) async throws {
        let form = MarkedForm(.file(try directory.hole(of: size)))
        let length = try #require(try form.body.length())
        let (arrival, isArriving) = AsyncStream.makeStream(of: Never.self)
        try await RawServer.run(serve: { connection in
            _ = try await connection.head()
            #expect(form.copies == 1)
            switch end {
            case .output:
                try await connection.skip(length)
                try await connection.send(.response(200, "done"))
            case .refusal:
                try await connection.send(.response(413, "no", headers: ["Connection": "close"]))
            case .failure:
                return
            case .cancellation:
                isArriving.finish()
            }
            _ = await connection.skipToEnd()
        }) { server in
            let request = try server.request("/photos", method: "POST")
            let task = Task { try await upload(form.body, with: request) }
            if end == .cancellation {
                for await _ in arrival {}
                task.cancel()
            }
            _ = await task.result
        }

        while form.copies > 0, !Task.isCancelled { await Task.yield() }
        #expect(form.copies == 0)
    }
}

/// A form with a mark, so that a test recognizes its temporary copies.
private struct MarkedForm {
    private let mark = UUID().uuidString
    let body: HTTPBody

    init(_ file: MultipartForm.Part) {
        body = .multipart(["mark": .text(mark), "file": file])
    }

    /// The number of copies.
    var copies: Int {
        let directory = FileManager.default.temporaryDirectory
        let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
        return (names ?? []).count { name in
            guard name.hasPrefix("APIKit-"),
                let file = try? FileHandle(forReadingFrom: directory.appending(path: name)),
                let start = try? file.read(upToCount: 1024)
            else { return false }
            return String(decoding: start, as: UTF8.self).contains(mark)
        }
    }
}
