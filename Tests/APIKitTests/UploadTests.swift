import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer) struct UploadTests {
    private let server = MockServer.current
    private let steps = Locked<[TransferProgress]>([])

    private func upload(
        _ body: HTTPBody, over transport: any HTTPClient
    ) async throws -> String {
        try await APIClient.make(transport: transport).upload(
            EchoRequest { try URLRequest(.post, "albums/1") }, from: body
        ) { [steps] step in
            steps.withLock { $0.append(step) }
        }
    }

    @Test(arguments: [true, false])
    func sendsBytes(withURLSession: Bool) async throws {
        let route = server.on(.post("/v1/albums/1"), reply: .text("done"))

        let answer = try await upload(
            .data(Data("photo".utf8), contentType: "image/png"),
            over: withURLSession ? server.session : server)

        #expect(answer == "done")
        #expect(route.requests.map(\.text) == ["photo"])
        #expect(route.requests.first?.headers["Content-Type"] == "image/png")
        #expect(steps.current.last == TransferProgress(completedBytes: 5, totalBytes: 5))
    }
}
