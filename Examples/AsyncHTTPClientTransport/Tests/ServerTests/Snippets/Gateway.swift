import APIKit
import FlyingFox
import Foundation
import Logging
import Tracing

// snippet.deadline
/// Sends the milliseconds that the call has left, so that the next server can
/// give up in time too.
struct TimeoutField: APIInterceptor {
    static let name = "X-Timeout-Milliseconds"

    func intercept<Body>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        var call = call
        if let left = call.timeLeft {
            let bounded = max(.zero, min(left, .seconds(86_400)))
            let milliseconds = Int(bounded / .milliseconds(1))
            call.request.setValue(
                "\(milliseconds)", forHTTPHeaderField: Self.name)
        }
        return try await next(call)
    }
}
// snippet.end

// snippet.tracing
/// Makes a span of each call, around its attempts.
struct CallSpan: APIInterceptor {
    var tracer: any Tracer = InstrumentationSystem.tracer

    func intercept<Body>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        let name = "\(type(of: call.apiRequest))"
        return try await tracer.withSpan(name, ofKind: .internal) { span in
            let response = try await next(call)
            span.attributes["http.response.status_code"] = response.statusCode
            return response
        }
    }
}
// snippet.end

// snippet.budget
/// The retries that calls have earned: one for ten calls, and at most ten.
final class RetryBudget: @unchecked Sendable {
    private let lock = NSLock()
    private var tenths = 100

    func earn() {
        lock.withLock { tenths = min(100, tenths + 1) }
    }

    func spend() -> Bool {
        lock.withLock {
            guard tenths >= 10 else { return false }
            tenths -= 10
            return true
        }
    }

    /// Place them outside the other interceptors, so that each call earns once.
    var interceptors: [any APIInterceptor] {
        [
            RequestAdapter { _ in self.earn() },
            Retry(unless: { _ in !self.spend() }),
        ]
    }
}
// snippet.end

// snippet.status
extension APIError {
    /// The status for a client of this server, and the `Retry-After`.
    var gatewayStatus: (code: Int, retryAfter: String?) {
        switch kind {
        case .invalidRequest, .file: (500, nil)
        case .overloaded: (503, "1")
        case .status(429), .status(503):
            (503, response?.value(forHTTPHeaderField: "Retry-After"))
        case .deadline: (504, nil)
        case .transport where urlError?.code == .timedOut: (504, nil)
        default: (502, nil)
        }
    }
}
// snippet.end

/// A server in front of an upstream: it adds a token, and bounds the time, the calls and the retries.
struct Gateway: Sendable {
    let client: APIClient
    let logger: Logger

    init(
        upstream: URL, transport: any HTTPTransport, tracer: any Tracer, logger: Logger,
        limit: ConcurrencyLimit = ConcurrencyLimit(64, waiting: 64)
    ) {
        let plain = APIClient(baseURL: upstream, transport: transport)
        // snippet.interceptors
        let tokens = BearerAuthentication(expiring: {
            let grant = try await plain.load(GrantRequest())
            return (grant.token, .seconds(grant.lifetime))
        })
        var client = plain
        client.interceptors =
            [CallSpan(tracer: tracer)] + RetryBudget().interceptors
            + [tokens, TimeoutField(), limit]
        // snippet.end
        (self.client, self.logger) = (client, logger)
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        var (client, logger) = (client, logger)
        let id = request.headers[HTTPHeader("X-Request-ID")] ?? "\(UUID())"
        logger[metadataKey: "request-id"] = "\(id)"
        client.headers["X-Request-ID"] = id
        client.observers = { [logger] call in [logging(call, to: logger)] }
        do {
            let breed = request.query.first { $0.name == "breed" }?.value ?? ""
            if request.path == "/events" {
                // snippet.restream
                // Not limited by the deadline of the request. The server asks for an event
                // once it has sent the one before. If it drops the body, because its client
                // is gone, the upstream request ends.
                let upstream = try await client.stream(DogsRequest(), with: breed)
                let body = upstream.value.events.map { Data($0.encoded.utf8) }
                // snippet.end
                return HTTPResponse(events: body)
            }
            // snippet.incoming
            // The time that the client of this server gives it.
            let field = request.headers[HTTPHeader(TimeoutField.name)]
            let milliseconds = field.flatMap { Int($0) } ?? 10_000
            let deadline = Deadline(.milliseconds(milliseconds))
            client.interceptors.insert(deadline, at: 0)
            // snippet.end
            if request.path == "/photos" {
                // snippet.upload
                // A chunk is read when the upstream can take it.
                let chunks = request.bodySequence
                let photo = try await client.upload(
                    AddPhoto(), from: .stream(chunks, length: chunks.count))
                // snippet.end
                return HTTPResponse(statusCode: .ok, body: Data(photo.utf8))
            }
            guard request.path == "/dogs" else { return HTTPResponse(statusCode: .notFound) }
            let dog = try await client.load(DogsRequest(), with: breed)
            return HTTPResponse(statusCode: .ok, body: Data(dog.utf8))
        } catch let error as APIError {
            let (code, retryAfter) = error.gatewayStatus
            var response = HTTPResponse(statusCode: HTTPStatusCode(code, phrase: ""))
            response.headers[HTTPHeader("Retry-After")] = retryAfter
            return response
        }
    }
}
