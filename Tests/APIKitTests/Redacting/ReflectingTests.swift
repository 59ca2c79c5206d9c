import APIKit
import APIKitTesting
import Foundation
import Testing

/// `print` and `dump` show no secrets of requests and responses.
///
/// Only secrets contain `S3CRET` here.
@Suite(.inTurn) struct ReflectingTests {
    private static let url =
        "https://ada:S3CRET@h.example/dogs;secret=S3CRET?pwd=S3CRET&page=2"
    private static let headers = ["X-Auth-Key": "S3CRET", "Authorization": "Bearer S3CRET"]

    /// The output of each way to print a value.
    private func shown(_ value: some Any) -> String {
        var text = "\(value)\n\(String(reflecting: value))\n\([value])\n"
        dump(value, to: &text)
        return text
    }

    private func client() throws -> APIClient {
        let server = MockServer { _ in
            .text("ok").header("Set-Cookie", "a=S3CRET").header("ETag", "\"1\"")
        }
        return APIClient(
            baseURL: try .make(Self.url), headers: Self.headers, transport: server,
            interceptors: [
                RequestAdapter { $0.setValue("S3CRET", forHTTPHeaderField: "X-Api-Key") },
                BearerAuthentication(StubTokens("S3CRET")), ETagCache(storesAuthorized: true),
                Coalescing(),
            ])
    }

    private func call() throws -> APICall {
        APICall(
            request: try .make("GET", Self.url, headers: Self.headers), apiRequest: EchoRequest())
    }

    @Test func clientShowsNoSecret() async throws {
        let client = try client()
        _ = try await client.load(EchoRequest())

        let text = shown(client)

        #expect(!text.contains("S3CRET"), "\(text)")
        #expect(text.contains("https://***@h.example/dogs;secret=***?pwd=***&page=2"))
        #expect(text.contains("BearerAuthentication"))
    }

    @Test func interceptorShowsNoSecretAfterACall() async throws {
        let client = try client()
        _ = try await client.load(EchoRequest())

        for interceptor in client.interceptors {
            let text = shown(interceptor)
            #expect(!text.contains("S3CRET"), "\(text)")
            #expect(text.contains("\(type(of: interceptor))"), "\(text)")
        }
    }

    @Test func callShowsNoSecret() throws {
        let text = try shown(call())

        #expect(!text.contains("S3CRET"), "\(text)")
        #expect(text.contains("GET https://***@h.example/dogs;secret=***?pwd=***&page=2"))
        #expect(text.contains("Bearer ***"))
    }

    @Test func observerShowsNoSecret() throws {
        let text = try shown(LogObserver(call()))

        #expect(!text.contains("S3CRET"), "\(text)")
        #expect(text.contains("LogObserver"))
    }

    @Test func responseShowsItsValueAndNoSecret() throws {
        let http = try HTTPURLResponse.make(url: Self.url, headers: ["Set-Cookie": "a=S3CRET"])

        let text = shown(APIResponse(value: "Rex", http: http))

        #expect(!text.contains("S3CRET"), "\(text)")
        #expect(text.contains("Rex"))
    }

    @Test func errorShowsNoSecret() throws {
        let url = try URL.make(Self.url)
        let error = APIError(
            .transport, request: try call().request,
            response: try .make(url: Self.url, headers: ["Set-Cookie": "a=S3CRET"]),
            body: Data("S3CRET".utf8),
            underlying: URLError(.timedOut, userInfo: [NSURLErrorFailingURLErrorKey: url]))

        let text = shown(error)

        #expect(!text.contains("S3CRET"), "\(text)")
        #expect(text.contains("timed out"))
    }

    @Test func streamShowsNoSecret() async throws {
        let client = try client()
        let response = try await client.stream(EchoRequest())
        let stream = response.value

        for value in [
            response, stream, stream.lines, stream.events, stream.jsonLines(of: Int.self),
            stream.makeAsyncIterator(),
        ] as [Any] {
            let text = shown(value)
            #expect(!text.contains("S3CRET"), "\(text)")
            #expect(text.contains("ByteStream"), "\(text)")
        }
    }

    @Test func pagesAndEventsShowNoSecret() async throws {
        let client = try client()
        var pages = client.pages(of: ListRequest(), from: 1).makeAsyncIterator()
        _ = try await pages.next()

        let values: [(String, Any)] = [
            ("Pages", pages), ("Elements", client.reconnectingEvents(of: EchoRequest())),
            ("APIRequestLoader", APIRequestLoader(apiRequest: EchoRequest(), client: client)),
        ]
        for (name, value) in values {
            let text = shown(value)
            #expect(!text.contains("S3CRET"), "\(text)")
            #expect(text.contains(name), "\(text)")
        }
    }
}
