import APIKit
import Foundation

actor Tokens: TokenProvider {
    func token() -> String? { "first" }
}

func clientWithAll(tokens: Tokens) -> APIClient {
    // snippet.order
    let client = APIClient(
        baseURL: URL(string: "https://api.example.com/v1"),
        interceptors: [
            Deadline(.seconds(30)),
            Retry(),
            BearerAuthentication(tokens),
            Coalescing(),
            ConcurrencyLimit(8, perHost: 4),
        ])
    // snippet.end
    return client
}

func clientWithDeadlines(url: URL) -> APIClient {
    // snippet.deadlines
    let client = APIClient(
        baseURL: url,
        interceptors: [
            Deadline(.seconds(30)), Retry(maxAttempts: 4),
            Deadline(.seconds(8)),
        ])
    // snippet.end
    return client
}

struct DogsRequest: APIRequest {
    typealias ResponseDataType = [String]

    func makeRequest(from breed: String) throws -> URLRequest {
        try URLRequest(.get, "dogs", query: ["breed": breed])
    }
}

func otherLimits() -> [Retry] {
    // snippet.retry
    let only429 = Retry(statuses: [429])
    let more = Retry(statuses: Retry.statuses.union([520, 522]))
    let noPost = Retry(unless: { $0.statusCode == 429 && !$0.isIdempotent })
    let patient = Retry(maxRetryAfter: .seconds(120))
    // snippet.end
    return [only429, more, noPost, patient]
}

// snippet.reset
nonisolated func untilReset(_ outcome: Retry.Outcome) -> Duration? {
    guard let http = outcome.response, [403, 429].contains(http.statusCode),
        http.value(forHTTPHeaderField: "X-RateLimit-Remaining") == "0",
        let reset = http.value(forHTTPHeaderField: "X-RateLimit-Reset").flatMap(
            { UInt32($0) })
    else { return nil }
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    // The clock of the device may differ from that of the server.
    let now = http.value(forHTTPHeaderField: "Date").flatMap(format.date(from:))
    return .seconds(Int(reset) - Int((now ?? .now).timeIntervalSince1970))
}

let gitHub = Retry(
    maxRetryAfter: .seconds(120),
    alsoWhen: { untilReset($0) != nil }, delay: { untilReset($0) })
// snippet.end

// snippet.rule
struct JobRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(.get, "jobs/\(id)")
    }

    func accepts(_ response: HTTPURLResponse) -> Bool {
        response.statusCode == 200
    }
}

let retry = Retry(
    maxAttempts: 10, baseDelay: .seconds(1),
    alsoWhen: {
        $0.statusCode == 202 && $0.call.apiRequest is JobRequest
    })
// snippet.end

// snippet.own
struct UpgradeRequired: Error {}

struct VersionCheck: APIInterceptor {
    let version: String

    func intercept<Body>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        var call = call
        call.request.setValue(version, forHTTPHeaderField: "X-App-Version")
        let response = try await next(call)
        if response.statusCode == 426 { throw UpgradeRequired() }
        return response
    }
}
// snippet.end
