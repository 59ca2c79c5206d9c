import APIKit
import Foundation

/// The client of an assistant that answers questions about files.
struct AssistantClient: Sendable {
    /// The text of an answer, in the parts that the server sends.
    typealias Answer = AsyncThrowingMapSequence<
        AsyncFilterSequence<ByteStream.Elements<ServerSentEvent>>, String
    >

    private let client: APIClient

    init(
        baseURL: URL? = URL(string: "https://assistant.example/v1"),
        transport: any HTTPTransport = URLSession.shared,
        session: AssistantSession,
        retry: Retry = Retry()
    ) {
        var client = APIClient(baseURL: baseURL, transport: transport)
        // This copy of the client has no interceptors, so the request that renews a token carries
        // none.
        let tokens = AssistantTokens(session, renewedBy: client)
        client.interceptors = [retry, BearerAuthentication(tokens)]
        self.client = client
    }

    /// Returns the conversations, page by page.
    func conversations() -> Pages<ConversationsRequest> {
        client.pages(of: ConversationsRequest(), from: ConversationsRequest.Query())
    }

    /// Attaches a document to a conversation.
    func attach(
        _ document: URL,
        to conversation: Conversation,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> Attachment {
        try await client.upload(
            AttachRequest(), with: conversation,
            from: .multipart(["document": .file(document, contentType: "application/pdf")]),
            progress: progress)
    }

    /// Asks a question, and returns the answer as a stream.
    func ask(_ question: String, in conversation: Conversation) async throws -> Answer {
        let request = AskRequest(conversation: conversation)
        return try await client.stream(request, with: question).value.events
            .filter { $0.data != "[DONE]" }
            .map { try $0.words() }
    }
}

/// A request to the assistant, which describes each refusal in the same way.
protocol AssistantRequest: APIRequest {}

extension AssistantRequest {
    func parseError(_ response: APIResponse<Data>) throws -> (any Error)? {
        try decoder.decode(AssistantError.self, from: response.value)
    }
}

struct ConversationsRequest: AssistantRequest, PagedAPIRequest {
    struct Query {
        var cursor: String?
    }

    struct Page: Codable {
        let conversations: [Conversation]
        let next: String?
    }

    typealias ResponseDataType = Page

    func makeRequest(from query: Query) throws -> URLRequest {
        try URLRequest(.get, "conversations", query: ["after": query.cursor])
    }

    func nextInput(after response: APIResponse<Page>, from query: Query) -> Query? {
        response.value.next.map { Query(cursor: $0) }
    }
}

private struct AttachRequest: AssistantRequest {
    typealias ResponseDataType = Attachment

    func makeRequest(from conversation: Conversation) throws -> URLRequest {
        try URLRequest(.post, "conversations/\(conversation.id)/documents")
    }
}

private struct AskRequest: AssistantRequest {
    typealias ResponseDataType = Void

    let conversation: Conversation

    func makeRequest(from question: String) throws -> URLRequest {
        try URLRequest(
            .post, "conversations/\(conversation.id)/answers",
            headers: ["Accept": "text/event-stream"], body: .json(["question": question]))
    }
}

private struct RenewRequest: AssistantRequest {
    typealias ResponseDataType = AssistantSession

    func makeRequest(from session: AssistantSession) throws -> URLRequest {
        try URLRequest(.post, "sessions", body: .form(["refresh_token": session.refreshToken]))
    }
}

/// The tokens of a session, renewed after the server has refused one.
private actor AssistantTokens: TokenProvider {
    private var session: AssistantSession
    private let client: APIClient

    init(_ session: AssistantSession, renewedBy client: APIClient) {
        self.session = session
        self.client = client
    }

    func token() -> String? { session.token }

    func refresh(replacing token: String) async throws -> String? {
        session = try await client.load(RenewRequest(), with: session)
        return session.token
    }
}

extension ServerSentEvent {
    private struct Words: Decodable {
        let delta: String
    }

    /// Returns the text in the event.
    ///
    /// A server that fails during an answer sends an event, because the status has already been sent.
    fileprivate func words() throws -> String {
        let data = Data(data.utf8)
        if type == "error" { throw try JSONDecoder().decode(AssistantError.self, from: data) }
        return try JSONDecoder().decode(Words.self, from: data).delta
    }
}
