import APIKit
import APIKitTesting
import Foundation

/// A call whose first request is redirected, and whose second one ends in some way.
struct RedirectedCall: CustomStringConvertible, Sendable {
    enum Double: CaseIterable { case transport, session, port }
    enum Fault: Hashable { case status(Int), lost, refused }
    enum Target: CaseIterable { case result, itself, otherOrigin }
    enum Layer { case retry, bearer, key, cache, coalescing, deadline }
    enum Verb: CaseIterable { case load, upload }

    var method = HTTPMethod.post
    var redirect: Int? = 303
    var fault = Fault.status(200)
    var target = Target.result
    var layers: [Layer] = []
    var verb = Verb.load
    var double = Double.transport

    static func all(for double: Double) -> [RedirectedCall] {
        // A mock of a port cannot refuse a connection, and a session repeats on a lost one by itself.
        let lost: [Fault] = double == .port ? [] : [.lost, .refused]
        let faults = [200, 401, 408, 429, 500, 503].map(Fault.status) + lost
        let layers: [[Layer]] = [
            [], [.retry], [.bearer], [.key], [.retry, .bearer], [.bearer, .retry], [.key, .retry],
            [.retry, .key, .bearer], [.retry, .cache], [.retry, .bearer, .coalescing],
            [.deadline, .retry], [.retry, .deadline],
        ]
        var pairs: [RedirectedCall] = []
        for method in [HTTPMethod.get, .post, .put, .patch, .delete] {
            for redirect in [nil, 301, 302, 303, 307, 308] {
                for target in redirect == nil ? [.result] : Target.allCases {
                    for fault in faults {
                        for layers in layers {
                            for verb in method == .get ? [.load] : Verb.allCases {
                                pairs.append(
                                    RedirectedCall(
                                        method: method, redirect: redirect, fault: fault,
                                        target: target, layers: layers, verb: verb, double: double))
                            }
                        }
                    }
                }
            }
        }
        // A request that is redirected to itself goes on without an end.
        return pairs.filter { $0.target != .itself || $0.becomesGet && $0.method != .get }
    }

    /// A number that is smaller for a simpler pair.
    var size: Int { layers.count * 2 + (redirect == nil ? 0 : 1) + (verb == .load ? 0 : 1) }

    var description: String {
        "\(verb) \(method), \(redirect ?? 0) to \(target), then \(fault), \(layers), \(double)"
    }
}

// MARK: - The model

extension RedirectedCall {
    struct Outcome: Equatable {
        /// The method, the host, the path and the token of each request.
        var requests: [String]
        var end: String
    }

    var becomesGet: Bool {
        redirect == 303 || [301, 302].contains(redirect) && method == .post
    }

    /// The requests that arrive, and how the call ends.
    var allowed: Outcome {
        let isOther = redirect != nil && target == .otherOrigin
        let isSafe = [.get, .put, .delete].contains(method) || hasKey
        /// A server may have processed the request, and it must not be repeated.
        let isProcessed = [301, 302, 303].contains(redirect) && !isSafe
        var chain = [text(method, start)]
        if redirect != nil {
            chain.append(text(becomesGet ? .get : method, targetURL, carriesToken: !isOther))
        }
        let rest = isProcessed ? [chain[1]] : chain
        let isFinal = isProcessed && isOther
        let isRefreshed = fault == .status(401) && layers.contains(.bearer) && !isOther
        guard !isFinal,
            isRefreshed
                || layers.contains(.retry) && isTemporary(isSafe || isProcessed && becomesGet)
        else { return Outcome(requests: chain, end: end) }
        let again = isRefreshed ? rest.map { $0.replacing("token0", with: "token1") } : rest
        return Outcome(requests: chain + again, end: "200")
    }

    private var hasKey: Bool { layers.contains(.key) && [.post, .patch].contains(method) }

    private func isTemporary(_ isIdempotent: Bool) -> Bool {
        switch fault {
        case .status(429), .refused: true
        case .status(408), .status(500), .status(503), .lost: isIdempotent
        default: false
        }
    }

    private func text(_ method: HTTPMethod, _ url: URL, carriesToken: Bool = true) -> String {
        let token = layers.contains(.bearer) && carriesToken ? "token0" : "none"
        return "\(method) \(url.host ?? "")\(url.path) \(token)"
    }

    private var end: String {
        let hasResult = redirect != nil && becomesGet && method != .get
        let subject =
            hasResult
            ? "\(method) \(start) was processed, but GET \(targetURL)" : "\(method) \(start)"
        return switch fault {
        case .status(200): "200"
        case .status(let status): "\(subject) was refused with status \(status)."
        case .lost: "\(subject) failed: the connection was lost (URLError -1005)."
        case .refused:
            "\(subject) failed: the host does not accept the connection (URLError -1004)."
        }
    }
}

// MARK: - The run

extension RedirectedCall {
    private static let origins = [
        Double.port: Ports.names,
        .transport: ["https://a.example", "https://b.example"],
        .session: ["https://a.example", "https://b.example"],
    ]

    private func url(_ path: String, at origin: Int = 0) -> URL {
        URL(string: (Self.origins[double]?[origin] ?? "") + path) ?? URL(filePath: path)
    }

    private var start: URL { url("/start") }

    private var targetURL: URL {
        switch target {
        case .result: url("/result")
        case .itself: start
        case .otherOrigin: url("/result", at: 1)
        }
    }

    func run() async throws -> Outcome {
        let requests = Requests()
        let (ports, location) = (Ports(), targetURL)
        let server = MockServer { request in
            let index = requests.add(request, at: ports)
            if let redirect, request.path == "/start", request.method == method {
                return .redirect(to: ports.numbered(location), status: redirect)
            }
            guard index == (redirect == nil ? 0 : 1) else { return .status(200) }
            return switch fault {
            case .status(let status): .status(status).header("Retry-After", "0")
            case .lost: .failure(.networkConnectionLost)
            case .refused: .failure(.cannotConnectToHost)
            }
        }
        let end: String
        switch double {
        case .transport: end = await self.end(of: server, at: url(""))
        case .session: end = await self.end(of: server.session, at: url(""))
        case .port:
            end = try await server.listening { first in
                try await server.listening { second in
                    ports.set([first, second])
                    return ports.named(await self.end(of: Self.session, at: first))
                }
            }
        }
        return Outcome(requests: requests.texts, end: end)
    }

    private static let session = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        return URLSession(configuration: configuration)
    }()

    private func end(of transport: any HTTPTransport, at url: URL) async -> String {
        let retry = Retry(baseDelay: .zero)
        let interceptors: [any APIInterceptor] = layers.map { layer in
            switch layer {
            case .retry: retry
            case .bearer: BearerAuthentication(StubTokens("token0") { _ in "token1" })
            case .key: IdempotencyKey()
            case .cache: ETagCache()
            case .coalescing: Coalescing()
            case .deadline: Deadline(.seconds(600))
            }
        }
        let client = APIClient(baseURL: url, transport: transport, interceptors: interceptors)
        let request = Start(method: method)
        let result = await Result {
            verb == .upload
                ? try await client.upload(request, from: .data(Data("order".utf8)))
                : try await client.load(request)
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
    func makeRequest(from _: Void) throws -> URLRequest { try URLRequest(method, "start") }
}

/// The requests that a server has received, as texts.
private final class Requests: Sendable {
    private let all = Locked<[String]>([])

    var texts: [String] { all.withLock { $0 } }

    /// Adds a request, and returns its index.
    func add(_ request: RecordedRequest, at ports: Ports) -> Int {
        let token = request.header("Authorization")?.dropFirst("Bearer ".count) ?? "none"
        let text =
            "\(request.method) \(ports.named(request.url).host ?? "")\(request.path) \(token)"
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
