import APIKit
import APIKitTesting
import Foundation
import Testing
import XCTest

// snippet.trait
struct RecordedDogTests {
    @Test(.mockServer(replaying: "dogs")) func loadsTheDogsOfABreed()
        async throws
    {
        let patch = DogPatch(session: MockServer.current.session)

        #expect(try await patch.dogs(of: "akita").map(\.name) == ["Rex"])
    }
}
// snippet.end

final class RecordedDogXCTests: XCTestCase {
    func testLoadsTheDogsOfABreed() async throws {
        let server = mockServer(replaying: "dogs")

        let dogs = try await DogPatch(session: server.session).dogs(of: "akita")

        XCTAssertEqual(dogs.map(\.name), ["Rex"])
    }
}

// snippet.shared
extension Cassette {
    static let dogs = Cassette("dogs", options: [.allowsUnusedEntries])
}
// snippet.end

struct SharedRecordingTests {
    @Test(.mockServer(replaying: .dogs)) func loadsADog() async throws {
        let patch = DogPatch(session: MockServer.current.session)

        #expect(try await patch.dogs(of: "akita").first?.id == 1)
    }
}

// snippet.rule
extension Redaction {
    /// The rule of this project.
    static let dogPatch = Redaction.secrets
        .adding(headers: ["X-Tenant"], values: ["ssn"])
        .adding(texts: [
            ProcessInfo.processInfo.environment["DOGPATCH_TOKEN"] ?? ""
        ])
        .excluding(values: ["page_token"])
}

extension Cassette {
    /// A recording with the rule of this project.
    static func dogPatch(_ name: String, filePath: String = #filePath)
        -> Cassette
    {
        Cassette(name, redacting: .dogPatch, filePath: filePath)
    }
}
// snippet.end

struct ProjectRuleTests {
    @Test(.mockServer(replaying: .dogPatch("dogs"))) func loadsADog()
        async throws
    {
        let patch = DogPatch(session: MockServer.current.session)

        #expect(try await patch.dogs(of: "akita").first?.id == 1)
    }
}

@Suite(.mockServer) struct RecordingSnippets {
    let server = MockServer.current

    private var patch: DogPatch { DogPatch(session: server.session) }

    @Test func cassetteComparesSelectedComponents() async throws {
        // snippet.matching
        server.replay(
            Cassette(
                "dogs", matching: [.method, .path, .query, .header("Accept")]))
        // snippet.end

        _ = try await patch.dogs(of: "akita")
    }

    @Test func cassetteIgnoresValuesThatChange() async throws {
        // snippet.ignoring
        server.replay(
            Cassette(
                "dogs",
                matching: [
                    .method, .url, .body, .ignoring("ts", "nonce", "requestId"),
                    .path(ignoring: "/v1/uploads/{id}"),
                ]))
        // snippet.end

        _ = try await patch.dogs(of: "akita")
    }

    @Test func cassetteMasksFurtherNames() async throws {
        // snippet.redacting
        server.replay(
            Cassette(
                "dogs",
                redacting: .secrets.adding(
                    headers: ["X-Tenant"], values: ["ssn"])))
        // snippet.end

        _ = try await patch.dogs(of: "akita")
    }

    @Test func routeReplacesAResponse() async throws {
        // snippet.route
        server.replay("dogs")
        let failure = server.on(
            .get("/v1/dogs"), reply: .status(503), times: .once)

        #expect(try await patch.dogs(of: "akita").count == 1)
        #expect(failure.requests.count == 1)
        // snippet.end
    }

    @Test func bundleContainsTheRecording() async throws {
        // snippet.bundle
        server.replay(Cassette("dogs", in: .module))
        // snippet.end

        _ = try await patch.dogs(of: "akita")
    }

    @Test func archiveIsAFile() async throws {
        let folder = FileManager.default.temporaryDirectory
        let file = folder.appending(path: "\(UUID()).har")
        defer { try? FileManager.default.removeItem(at: file) }
        server.on(.get("/v1/dogs"), reply: .json([Dog(id: 1, name: "Rex")]))
        _ = try await patch.dogs(of: "akita")

        // snippet.file
        try server.har().write(to: file)
        // snippet.end

        #expect(FileManager.default.fileExists(atPath: file.path))
    }

    #if compiler(>=6.2)
    @Test func archiveIsAnAttachment() async throws {
        server.on(.get("/v1/dogs"), reply: .json([Dog(id: 1, name: "Rex")]))

        // snippet.attachment
        defer {
            do {
                Attachment.record(try server.har(), named: "traffic.har")
            } catch {
                Issue.record(error)
            }
        }
        _ = try await patch.dogs(of: "akita")
        // snippet.end
    }
    #endif
}
