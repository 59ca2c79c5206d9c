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
}
