import APIKit
import APIKitTesting
import Foundation
import Testing

/// No full stop follows a URL or a path in a message.
@Suite(.inTurn) struct MessageTests {
    private static let url = "https://api.example.com/v1/dogs"

    /// An error with a given text, such as an error of another library.
    private struct Sentence: Error, CustomStringConvertible {
        let description: String
    }

    private static let errors: [APIError] = {
        var errors: [APIError] = [
            APIError(.notHTTP), APIError(.status(404)), APIError(.deadline),
            APIError(.invalidRequest("it has no URL")),
            APIError(.invalidRequest("the base URL of the client is \(url)")),
            APIError(.invalidRequest("another download to /tmp/a is under way")),
        ]
        let texts = [
            url, "Cannot reach \(url).", "Cannot reach \(url): no route.",
            "Unhandled request: GET \(url)\nThe closest route is .get(\"/x\")", "\(url) is down",
            "See https://status.example.com/incidents/7.", "No file at /tmp/a.",
            "\(url)/1?page=2 is down", "\(url)/1 is down",
        ]
        let kinds: [APIError.Kind] = [
            .transport, .decoding, .overloaded, .file(URL(filePath: "/tmp/file")),
        ]
        for kind in kinds {
            errors += [APIError(kind), APIError(kind, underlying: URLError(.timedOut))]
            errors += [APIError(kind, underlying: POSIXError(.ENOENT))]
            for text in texts {
                errors.append(APIError(kind, underlying: Sentence(description: text)))
                let info = [NSLocalizedDescriptionKey: text]
                errors.append(
                    APIError(kind, underlying: NSError(domain: "d", code: 1, userInfo: info)))
                let context = DecodingError.Context(codingPath: [], debugDescription: text)
                errors.append(APIError(kind, underlying: DecodingError.dataCorrupted(context)))
            }
        }
        return errors
    }()

    @Test(arguments: errors)
    func noFullStopFollowsLocation(error: APIError) async throws {
        let request = try URLRequest.make()
        let named = APIError(
            error.kind, request: request, response: error.response, underlying: error.underlying)
        let lines = Locked<[String]>([])
        let client = APIClient.make(
            transport: StubTransport { _ in throw error },
            observers: { call in [LogObserver(call) { lines.append($0.description) }] })
        let dogs = EchoRequest { try URLRequest(.get, "dogs") }
        await #expect(throws: APIError.self) { try await client.load(dogs) }

        #expect(lines.current.count == 1)
        for message in lines.current + [named.description] {
            let stops = message.matches(of: /(?:https:\/\/|\s\/)\S*\.(?:\s|$)/)
            #expect(stops.isEmpty, "\(message)")
        }
    }

    @Test(arguments: [
        ("Cannot reach \(url).", "failed: Cannot reach \(url)"),
        ("\(url)/1 is down", "failed: \(url)/1 is down."),
        ("See \"\(url)/1\"", "failed: See \"\(url)/1\"."),
        ("See \(url)/1.", "failed: See \(url)/1"),
        ("No file at /tmp/a.", "failed: No file at /tmp/a"),
    ])
    func textOfOtherLibraryEndsWithFullStop(text: String, predicate: String) throws {
        let error = APIError(
            .transport, request: try .make(), underlying: Sentence(description: text))

        #expect(error.description == "GET \(Self.url) \(predicate)")
    }

    @Test func malformedJSONIsDescribedByItsPosition() {
        let error = NSError(
            domain: NSCocoaErrorDomain, code: CocoaError.Code.propertyListReadCorrupt.rawValue,
            userInfo: ["NSDebugDescription": "Unexpected character around line 1, column 5."])

        #expect(
            APIError(.transport, underlying: error).description
                == "The request failed: Unexpected character around line 1, column 5.")
    }
}
