import APIKit
import APIKitTesting
import Foundation
import Testing

extension RedirectedCall {
    private static let origins = [
        Double.port: Ports.names,
        .transport: ["https://a.example", "https://b.example"],
        .session: ["https://a.example", "https://b.example"],
    ]

    private func url(_ path: String, at origin: Int = 0) -> URL {
        URL(string: (Self.origins[double]?[origin] ?? "") + path) ?? URL(filePath: path)
    }

    var start: URL { url("/start") }

    var targetURL: URL {
        switch target {
        case .result: url("/result")
        case .itself: start
        case .otherOrigin: url("/result", at: 1)
        }
    }

    func run() async throws -> Outcome {
        let (requests, ports, clock) = (Requests(), Ports(), ManualClock())
        let (stall, isStalled) = AsyncStream.makeStream(of: Never.self)
        let server = server(requests, ports, isStalled)
        let driver = Task {
            for await _ in stall {}
            guard !Task.isCancelled else { return }
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(5))
        }
        defer { driver.cancel() }
        switch double {
        case .transport: return try await outcome(of: server, at: url(""), clock, requests)
        case .session: return try await outcome(of: server.session, at: url(""), clock, requests)
        case .port:
            return try await server.listening { first in
                try await server.listening { second in
                    ports.set([first, second])
                    var outcome = try await outcome(of: Self.session, at: first, clock, requests)
                    outcome.end = ports.named(outcome.end)
                    return outcome
                }
            }
        }
    }

    private func server(
        _ requests: Requests, _ ports: Ports, _ isStalled: AsyncStream<Never>.Continuation
    ) -> MockServer {
        let location = targetURL
        return MockServer { request in
            let index = requests.add(request, at: ports)
            if let redirect, request.path == "/start", request.method == method {
                return .redirect(to: ports.numbered(location), status: redirect)
            }
            guard index == (redirect == nil ? 0 : 1), !requests.isWarming else {
                return request.header("If-None-Match") == nil
                    ? .status(200).header("ETag", "\"1\"") : .status(304)
            }
            switch fault {
            case .status(200) where request.header("If-None-Match") != nil: return .status(304)
            case .status(let status): return .status(status).header("Retry-After", "0")
            case .lost: return .failure(.networkConnectionLost)
            case .refused: return .failure(.cannotConnectToHost)
            case .slow:
                isStalled.finish()
                return .never
            }
        }
    }

    private static let session = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        return URLSession(configuration: configuration)
    }()

    private func outcome(
        of transport: any HTTPTransport, at url: URL, _ clock: ManualClock, _ requests: Requests
    ) async throws -> Outcome {
        let limit = ConcurrencyLimit(1)
        let client = APIClient(
            baseURL: url, transport: transport,
            interceptors: layers.map { layer in
                switch layer {
                case .retry: Retry(baseDelay: .zero)
                case .bearer: BearerAuthentication(StubTokens("token0") { _ in "token1" })
                case .key: IdempotencyKey()
                case .cache: ETagCache(storesAuthorized: true)
                case .coalescing: Coalescing()
                case .deadline: Deadline(.seconds(5), clock: clock)
                case .limit: limit
                }
            })
        let folder = try TemporaryDirectory()
        if isWarm {
            requests.isWarming = true
            _ = await end(of: client, in: folder)
            requests.isWarming = false
        }
        let steps = Locked<[String]>([])
        weak var observer: StepObserver?
        let end = await { [client] in
            var client = client
            let made = StepObserver(steps)
            observer = made
            client.observers = { _ in [made] }
            return await self.end(of: client, in: folder)
        }()
        // What still runs for the call holds its observer.
        await until("nothing runs for the call") { observer == nil }
        var leftovers: [String] = []
        let isDone = end == "200"
        if try folder.names != (isDone && verb == .download ? ["file"] : []) {
            leftovers += try folder.names
        }
        if layers.contains(.limit) { try await limit.expectFree(1) }
        return Outcome(
            requests: requests.texts, steps: steps.current, end: end, leftovers: leftovers)
    }

    private func end(of client: APIClient, in folder: TemporaryDirectory) async -> String {
        let body = HTTPBody.data(Data(Self.body.utf8))
        let request = Start(method: method, body: hasBody && verb != .upload ? body : nil)
        let result = await Result {
            switch verb {
            case .load: try await client.load(request)
            case .upload: try await client.upload(request, from: body)
            case .stream: _ = try await client.stream(request).value.data()
            case .download: _ = try await client.download(request, to: folder.url("file"))
            }
        }
        switch result {
        case .success: return "200"
        case .failure(let error): return "\(error)"
        }
    }
}

struct Start: APIRequest {
    typealias ResponseDataType = Void
    let method: HTTPMethod
    var body: HTTPBody?
    func makeRequest(from _: Void) throws -> URLRequest {
        try URLRequest(method, "start", body: body)
    }
}

/// Records the steps of a call.
private final class StepObserver: APIObserver {
    private let steps: Locked<[String]>

    init(_ steps: Locked<[String]>) { self.steps = steps }

    func callStarted() { steps.append("started") }
    func requestSent(_ request: URLRequest, attempt: Int) { steps.append("sent \(attempt)") }
    func responseReceived<Body: Sendable>(_ response: APIResponse<Body>, attempt: Int) {
        steps.append("received \(attempt)")
    }
    func callSucceeded<Value: Sendable>(with response: APIResponse<Value>) {
        steps.append("succeeded")
    }
    func callFailed(with error: any Error) { steps.append("failed") }
}

/// The requests that a server has received, as texts.
private final class Requests: Sendable {
    private let all = Locked<[String]>([])
    private let warming = Locked(false)

    var texts: [String] { all.current }

    /// Whether the requests are those of an earlier call, which do not count.
    var isWarming: Bool {
        get { warming.current }
        set { warming.set(newValue) }
    }

    /// Adds a request, and returns its index.
    func add(_ request: RecordedRequest, at ports: Ports) -> Int {
        guard !isWarming else { return 0 }
        let url = ports.named(request.url)
        let text = RedirectedCall.text(
            request.method, url,
            token: request.header("Authorization").map { "\($0.dropFirst("Bearer ".count))" },
            isConditional: request.header("If-None-Match") != nil,
            body: String(decoding: request.body, as: UTF8.self))
        return all.withLock { all in
            all.append(text)
            return all.count - 1
        }
    }
}
/// The ports of a server, each with the name of the origin that it stands for.
private final class Ports: Sendable {
    static let names = ["http://127.0.0.1", "http://localhost"]
    private let numbers = Locked<[Int]>([])

    func set(_ urls: [URL]) { numbers.withLock { $0 = urls.compactMap(\.port) } }

    /// Returns a URL at the port for its name.
    func numbered(_ url: URL) -> String {
        zip(Self.names, numbers.withLock { $0 }).reduce(url.absoluteString) { text, port in
            text.replacing("\(port.0)/", with: "http://127.0.0.1:\(port.1)/")
        }
    }

    /// Returns a text with the names of the ports in it.
    func named(_ text: String) -> String {
        zip(Self.names, numbers.withLock { $0 }).reduce(text) { text, port in
            text.replacing("http://127.0.0.1:\(port.1)", with: port.0)
        }
    }

    func named(_ url: URL) -> URL { URL(string: named(url.absoluteString)) ?? url }
}
