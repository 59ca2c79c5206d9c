import APIKit
import Foundation

// snippet.signer
/// Signs the bytes of each body.
struct BodySigner: APIInterceptor {
    let sign: @Sendable (ByteStream) async throws -> String

    func intercept<Body>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        let body = call.body ?? .data(call.request.httpBody ?? Data())
        guard body.isRepeatable, call.request.httpBodyStream == nil else {
            throw APIError(
                .invalidRequest("its body can be read only once, not signed"))
        }
        var call = call
        let signature = try await sign(body.chunks().stream)
        call.request.setValue(signature, forHTTPHeaderField: "X-Signature")
        return try await next(call)
    }
}
// snippet.end

// snippet.kept
/// Another request, which keeps the last body in a file.
nonisolated struct Kept<Base: APIRequest>: APIRequest {
    let base: Base
    let file: URL

    var decoder: any ResponseDecoder { base.decoder }

    func makeRequest(from input: Base.RequestDataType) throws -> URLRequest {
        try base.makeRequest(from: input)
    }

    func accepts(_ response: HTTPURLResponse) -> Bool { base.accepts(response) }

    func parseError(_ response: APIResponse<Data>) throws -> (any Error)? {
        try base.parseError(response)
    }

    func parseResponse(data: Data) throws -> Base.ResponseDataType {
        let output = try base.parseResponse(data: data)
        try data.write(to: file, options: .atomic)
        return output
    }

    /// Returns the last output, or throws if there is none.
    func last() throws -> Base.ResponseDataType {
        try base.parseResponse(data: Data(contentsOf: file))
    }
}
// snippet.end

func keptPups() throws -> [Pup] {
    let folder = FileManager.default.temporaryDirectory
    // snippet.start
    let request = Kept(
        base: PupsRequest(), file: folder.appending(path: "pups.json"))
    let pups = try? request.last()
    // snippet.end
    return pups ?? []
}

struct NewsRequest: APIRequest {
    func makeRequest(from: Void) throws -> URLRequest {
        try URLRequest(.get, "news")
    }
}

func followNews(client: APIClient, show: (String) -> Void) async throws {
    // snippet.events
    let patient = client.without(Retry.self)
        .adding(Retry(maxAttempts: .max, maxDelay: .seconds(60)))
    for try await event in patient.reconnectingEvents(of: NewsRequest()) {
        show(event.data)
    }
    // snippet.end
}

// snippet.search
@MainActor final class PupSearch {
    private(set) var pups: [Pup] = []
    private(set) var search: Task<Void, any Error>?
    private let client: APIClient
    private let clock: any Clock<Duration>

    init(client: APIClient, clock: any Clock<Duration> = ContinuousClock()) {
        (self.client, self.clock) = (client, clock)
    }

    func find(_ breed: String) {
        search?.cancel()
        search = Task {
            try await clock.sleep(for: .milliseconds(300))
            let found = try await client.load(PupsRequest(), with: breed)
            // The response may have arrived before the cancellation.
            try Task.checkCancellation()
            pups = found
        }
    }
}
// snippet.end

// snippet.graphql
/// Turns the error of an expired token into a 401.
struct GraphQLStatus: APIInterceptor {
    private nonisolated struct Reply: Decodable {
        nonisolated struct Failure: Decodable {
            let extensions: [String: JSONValue]?
        }
        let errors: [Failure]?
    }

    func intercept<Body>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        let response = try await next(call)
        guard let body = response.value as? Data, let url = response.http.url,
            let reply = try? JSONDecoder().decode(Reply.self, from: body),
            reply.errors?.contains(where: {
                $0.extensions?["code"] == "UNAUTHENTICATED"
            }) == true,
            let refused = HTTPURLResponse(
                url: url, statusCode: 401, httpVersion: nil, headerFields: nil)
        else { return response }
        return APIResponse(value: response.value, http: refused)
    }
}
// snippet.end

func graphQLClient(url: URL, tokens: any TokenProvider) -> APIClient {
    // snippet.graphql-client
    let client = APIClient(
        baseURL: url,
        interceptors: [BearerAuthentication(tokens), GraphQLStatus()])
    // snippet.end
    return client
}

// snippet.breaker
/// Fails each call at once while the server fails, except one a minute.
actor CircuitBreaker<C: Clock<Duration>>: APIInterceptor {
    nonisolated struct IsOpen: Error {}

    private let clock: C
    private var failures = 0
    /// The time of the next call, after five failures in a row.
    private var nextCall: C.Instant?

    init(clock: C = ContinuousClock()) { self.clock = clock }

    func intercept<Body>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        if let nextCall {
            guard clock.now >= nextCall else { throw IsOpen() }
            self.nextCall = clock.now.advanced(by: .seconds(60))
        }
        do {
            let response = try await next(call)
            count(isFailure: response.statusCode >= 500)
            return response
        } catch let error as APIError where error.kind == .transport {
            count(isFailure: true)
            throw error
        }
    }

    private func count(isFailure: Bool) {
        failures = isFailure ? failures + 1 : 0
        nextCall = failures < 5 ? nil : clock.now.advanced(by: .seconds(60))
    }
}
// snippet.end

// snippet.offline
extension APIClient {
    /// A client for the preview without a network, which does not wait.
    static func offline(_ client: APIClient) -> APIClient {
        var offline = client.without(Retry.self)
        offline.transport = CannedTransport().reply(
            to: PupsRequest(), with: "akita",
            .failure(URLError(.notConnectedToInternet)))
        return offline
    }
}
// snippet.end
