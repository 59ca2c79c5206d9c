import Foundation

/// A server's description of a problem, sent as `application/problem+json` (RFC 9457).
///
/// A server can add members to the description. Decode them with
/// ``APIError/decodeBody(_:decoder:)``.
public struct ProblemDetails: Sendable, Hashable {
    /// The type of the problem, a URI reference, which is `about:blank` if the server sends none.
    ///
    /// Resolve a relative reference with `HTTPURLResponse.resolve(_:)`.
    public let type: String

    /// A short summary of the type of problem, which is the same for each occurrence.
    public let title: String?

    /// The status code that the server of the problem sent.
    ///
    /// It can differ from ``APIError/statusCode``, because a proxy can change the status.
    public let status: Int?

    /// An explanation of this occurrence of the problem.
    public let detail: String?

    /// A URI reference that identifies this occurrence of the problem.
    public let instance: String?

    /// Creates a description, for a preview or a test of your own.
    public init(
        type: String = "about:blank",
        title: String? = nil,
        status: Int? = nil,
        detail: String? = nil,
        instance: String? = nil
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
    }
}

extension ProblemDetails: Decodable {
    private enum CodingKeys: CodingKey {
        case type, title, status, detail, instance
    }

    /// Decodes a description, and ignores members of a wrong type (RFC 9457, section 3.1).
    ///
    /// - Throws: A `DecodingError` if the value is not an object.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) -> String? { try? members.decode(String.self, forKey: key) }
        self.init(
            type: text(.type) ?? "about:blank", title: text(.title),
            status: try? members.decode(Int.self, forKey: .status), detail: text(.detail),
            instance: text(.instance))
    }
}

extension APIError {
    /// The problem that the body describes, as ``APIResponse/problem`` reads it.
    public var problem: ProblemDetails? {
        guard let response, let body else { return nil }
        return ProblemDetails(of: response, body: body)
    }
}

extension ProblemDetails {
    /// Reads the body of a response, or returns `nil` if it does not describe a problem.
    init?(of response: HTTPURLResponse, body: Data) {
        guard response.mediaType == "application/problem+json",
            let problem = try? JSONDecoder().decode(Self.self, from: body)
        else { return nil }
        self = problem
    }

    /// The title and the detail on one line, without the last full stop.
    ///
    /// It is `nil` if both are missing or empty.
    var summary: String? {
        let sentences = [title, detail].compactMap(\.self)
            .map { Redaction.excerpt(of: $0, upTo: 500).reversed().drop { ". !".contains($0) } }
            .map { String($0.reversed()) }
            .filter { !$0.isEmpty }
        return sentences.isEmpty ? nil : sentences.joined(separator: ". ")
    }
}
