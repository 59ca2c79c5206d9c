// The code in the documentation comments of APIKit.
import APIKit
import Foundation

nonisolated struct Dog: Codable, Sendable {
    var name: String
    var age = 3
    var id = 7
}

struct DogsRequest: APIRequest {
    typealias ResponseDataType = [Dog]

    func makeRequest(from breed: String) throws -> URLRequest {
        try URLRequest(.get, "dogs", query: ["breed": breed])
    }
}

enum Bodies {
    static func json() -> JSONValue {
        // snippet.json
        let body: JSONValue = ["id": 7, "name": "Rex", "tags": ["small", nil], "good": true]
        // snippet.end
        return body
    }

    static func literal(of dog: Dog) -> HTTPBody.JSONLiteral {
        // snippet.literal
        let body: HTTPBody.JSONLiteral = [
            "dog": .json(["id": dog.id, "name": dog.name]),
            "count": 2,
        ]
        // snippet.end
        return body
    }

    static func constants() throws -> URLRequest {
        // snippet.constants
        try URLRequest(.post, "dogs", body: .json(["name": "Rex", "age": 3]))
        // snippet.end
    }

    static func variables(of dog: Dog) throws -> URLRequest {
        // snippet.variables
        try URLRequest(.post, "dogs", body: .json(["name": dog.name, "age": dog.age]))
        // snippet.end
    }

    static func values(name: String, url: URL) -> HTTPBody {
        // snippet.values
        .multipart(["name": .text(name), "photo": .file(url, contentType: "image/jpeg")])
        // snippet.end
    }
}

// snippet.interceptor
struct Timing: APIInterceptor {
    func intercept<Body>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        let start = ContinuousClock.now
        defer { print(call.request, start.duration(to: .now)) }
        return try await next(call)
    }
}
// snippet.end

enum Loading {
    static func load() async throws -> [Dog] {
        // snippet.load
        let client = APIClient(baseURL: URL(string: "https://api.example.com/v1"))
        let dogs = try await client.load(DogsRequest(), with: "akita")
        // snippet.end
        return dogs
    }

    static func signedIn(client: APIClient, tokens: some TokenProvider) -> APIClient {
        // snippet.adding
        let signedIn = client.adding(BearerAuthentication(tokens))
        // snippet.end
        return signedIn
    }

    static func loadWithoutRetry(client: APIClient) async throws -> [Dog] {
        // snippet.without
        let dogs = try await client.without(Retry.self).load(DogsRequest(), with: "akita")
        // snippet.end
        return dogs
    }
}

struct ReportRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from year: Int) throws -> URLRequest {
        try URLRequest(.get, "reports/\(year)")
    }
}

struct AskRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from question: String) throws -> URLRequest {
        try URLRequest(.post, "answers", body: .json(["question": question]))
    }
}

enum Transferring {
    struct AddPhoto: APIRequest {
        typealias ResponseDataType = Data

        func makeRequest(from album: Int) throws -> URLRequest {
            try URLRequest(.post, "albums/\(album)/photos")
        }
    }

    static func lines(client: APIClient, question: String) async throws {
        // snippet.lines
        let response = try await client.stream(AskRequest(), with: question)
        for try await line in response.value.lines { print(line) }
        // snippet.end
    }

    static func chunks(client: APIClient, file: FileHandle) async throws {
        // snippet.chunks
        let response = try await client.stream(ReportRequest(), with: 2026)
        for try await chunk in response.value {
            try file.write(contentsOf: chunk)
        }
        // snippet.end
    }

    @MainActor final class Bar { var fraction: Double? }

    static func upload(
        client: APIClient, album: Int, url: URL, bar: Bar
    ) async throws -> Data {
        // snippet.upload
        let photo = try await client.upload(
            AddPhoto(), with: album, from: .file(url, contentType: "image/jpeg")
        ) { @MainActor progress in
            bar.fraction = progress.fraction
        }
        // snippet.end
        return photo
    }

    static func download(client: APIClient, file: URL, bar: Bar) async throws {
        // snippet.download
        try await client.download(ReportRequest(), with: 2026, to: file) { @MainActor progress in
            bar.fraction = progress.fraction
        }
        // snippet.end
    }
}

nonisolated struct ChatChunk: Decodable, Sendable {
    var text: String
}

struct ChatRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from prompt: String) throws -> URLRequest {
        try URLRequest(.post, "chat", body: .json(["prompt": prompt]))
    }
}

enum Receiving {
    static func chat(client: APIClient, prompt: String) async throws -> String {
        var text = ""
        // snippet.chat
        let response = try await client.stream(ChatRequest(), with: prompt)
        for try await chunk in response.value.events.decoded(as: ChatChunk.self, until: "[DONE]") {
            text += chunk.text
        }
        // snippet.end
        return text
    }

    struct PricesRequest: APIRequest {
        typealias ResponseDataType = Data

        func makeRequest(from symbol: String) throws -> URLRequest {
            try URLRequest(.get, "prices/\(symbol)")
        }
    }

    static func events(client: APIClient, show: (String) -> Void) async throws {
        // snippet.events
        for try await event in client.reconnectingEvents(of: PricesRequest(), with: "AAPL") {
            show(event.data)
        }
        // snippet.end
    }
}

enum Paging {
    // snippet.paged
    struct DogsRequest: PagedAPIRequest {
        typealias ResponseDataType = [Dog]

        func makeRequest(from page: Int) throws -> URLRequest {
            try URLRequest(.get, "dogs", query: ["page": page])
        }

        func nextInput(after response: APIResponse<[Dog]>, from page: Int) -> Int? {
            response.value.isEmpty ? nil : page + 1
        }
    }
    // snippet.end

    static func pages(client: APIClient, show: ([Dog]) -> Void) async throws {
        // snippet.pages
        for try await dogs in client.pages(of: DogsRequest(), from: 1) {
            show(dogs)
        }
        // snippet.end
    }

    struct Page: Sendable {
        var next: String
    }

    static func next(of page: APIResponse<Page>) throws -> URL {
        // snippet.resolve
        let next = try page.http.resolve(page.value.next)  // "/v1/dogs?page=2"
        // snippet.end
        return next
    }
}

struct SignIn: Sendable {
    var token: String
    var refreshToken: String
    var userID: String
}

enum Accounts {
    // snippet.accounts
    actor Tokens: AccountTokenProvider {
        private var signIn: SignIn?

        func accountToken() -> (token: String, account: String)? {
            signIn.map { ($0.token, $0.userID) }
        }
    }
    // snippet.end
}

struct RenewSignIn: APIRequest {
    func makeRequest(from token: String) throws -> URLRequest {
        try URLRequest(.post, "session", body: .json(["token": token]))
    }

    func parseResponse(data: Data) throws -> SignIn {
        SignIn(token: String(decoding: data, as: UTF8.self), refreshToken: "", userID: "")
    }
}

enum Refreshing {
    static let client = APIClient()

    // snippet.tokens
    actor Tokens: TokenProvider {
        private var signIn: SignIn

        init(_ signIn: SignIn) { self.signIn = signIn }

        func token() -> String? { signIn.token }

        func refresh(replacing token: String) async throws -> String? {
            signIn = try await client.load(RenewSignIn(), with: signIn.refreshToken)
            return signIn.token
        }
    }
    // snippet.end
}

enum Clients {
    static func authenticated(tokens: some TokenProvider) -> APIClient {
        // snippet.bearer
        let client = APIClient(
            baseURL: URL(string: "https://api.example.com"),
            interceptors: [BearerAuthentication(tokens)])
        // snippet.end
        return client
    }

    static func coalescing(url: URL, tokens: some TokenProvider) -> APIClient {
        // snippet.coalescing
        APIClient(baseURL: url, interceptors: [BearerAuthentication(tokens), Coalescing()])
        // snippet.end
    }

    static func caching(url: URL) -> APIClient {
        // snippet.caching
        APIClient(
            baseURL: url,
            interceptors: [
                RequestAdapter { $0.setValue("de", forHTTPHeaderField: "Accept-Language") },
                ETagCache(),
            ])
        // snippet.end
    }

    static func idempotent(url: URL) -> APIClient {
        // snippet.idempotent
        APIClient(baseURL: url, interceptors: [IdempotencyKey(), Retry()])
        // snippet.end
    }

    static func quoted() -> IdempotencyKey {
        // snippet.quoted
        IdempotencyKey { "\"\(UUID().uuidString)\"" }
        // snippet.end
    }

    static func adapting() -> RequestAdapter {
        // snippet.adapter
        RequestAdapter { $0.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID") }
        // snippet.end
    }

    static func retries() -> [Retry] {
        // snippet.retries
        let retries = [
            Retry(statuses: [429, 503], unless: { !$0.isIdempotent }),
            Retry(maxAttempts: 10, alsoWhen: { outcome in outcome.statusCode == 202 }),
        ]
        // snippet.end
        return retries
    }

    struct TokenRequest: APIRequest {
        func makeRequest(from: Void) throws -> URLRequest { try URLRequest(.post, "token") }

        func parseResponse(data: Data) throws -> String { String(decoding: data, as: UTF8.self) }
    }

    static func fetching(plain: APIClient) -> BearerAuthentication {
        // snippet.fetching
        BearerAuthentication { try await plain.load(TokenRequest()) }
        // snippet.end
    }
}

enum Observing {
    nonisolated struct Logger: Sendable {
        var label: String

        func info(_ text: String) { print(label, text) }
    }

    static func logging(url: URL) -> APIClient {
        // snippet.log
        let logger = Logger(label: "api")
        let client = APIClient(
            baseURL: url, observers: { call in [LogObserver(call) { logger.info("\($0)") }] })
        // snippet.end
        return client
    }

    static func redactions(token: String) -> [Redaction] {
        // snippet.redactions
        let redactions: [Redaction] = [
            .secrets,  // what is a secret by itself
            .secrets.adding(headers: ["X-Tenant"], values: ["email"]),  // and by these names
            .secrets.adding(texts: [token]),  // and this text, anywhere
            .secrets.excluding(values: ["page_token"]),  // except values with this name
            .nothing,  // no value
        ]
        // snippet.end
        return redactions
    }
}
