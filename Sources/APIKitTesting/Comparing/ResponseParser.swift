import APIKit
import Foundation

/// How a request type reads a response.
struct ResponseParser: Sendable, Equatable {
    enum Outcome {
        case output(isNil: Bool)
        case refusal(String, member: String?)
    }

    let type: String
    private let parse: @Sendable (APIResponse<Data>) throws -> Any

    init(type: String, parse: @escaping @Sendable (APIResponse<Data>) throws -> Any) {
        (self.type, self.parse) = (type, parse)
    }

    /// Creates the parser of a request type, which reads the responses that it refuses as errors.
    init<Request: APIRequest>(_ request: Request) {
        self.init(type: "\(Request.self)") { response in
            guard request.accepts(response.http) else {
                return try request.parseError(response) as Any
            }
            return try request.parseResponse(response)
        }
    }

    static func == (first: Self, second: Self) -> Bool { first.type == second.type }

    /// Returns the output, or `nil` if the parser throws.
    func output(of response: ComparedResponse) -> JSONValue? {
        (try? parse(response.response())).map { ParsedOutput($0).tree }
    }

    /// Returns whether the output is `nil`, or why the parser throws, and the member that it names.
    func outcome(of response: ComparedResponse) -> Outcome {
        do {
            let mirror = Mirror(reflecting: try parse(response.response()))
            return .output(isNil: mirror.displayStyle == .optional && mirror.children.isEmpty)
        } catch {
            guard
                let error = error as? DecodingError ?? (error as? APIError)?.underlying
                    as? DecodingError
            else { return .refusal(APIError.text(of: error), member: nil) }
            let path: [any CodingKey]
            switch error {
            case .keyNotFound(let key, let context): path = context.codingPath + [key]
            case .typeMismatch(_, let context), .valueNotFound(_, let context),
                .dataCorrupted(let context):
                path = context.codingPath
            @unknown default: path = []
            }
            return .refusal(error.reason(), member: path.last { $0.intValue == nil }?.stringValue)
        }
    }

    /// Returns what the parser reads of the largest of some JSON bodies, or `nil` if it cannot parse it.
    func uses(in responses: [ComparedResponse], since earlier: MemberUses? = nil) -> MemberUses? {
        largest(of: responses) { try MemberUses(in: $0, since: earlier, parse: $1) }
    }

    /// Returns whether another value of the same kind changes the output of the largest body.
    func readsValue(at steps: [JSONStep], in responses: [ComparedResponse]) -> Bool {
        largest(of: responses) { MemberUses.readsValue(at: steps, in: $0, parse: $1) } == true
    }

    private func largest<Result>(
        of responses: [ComparedResponse],
        _ ask: (JSONValue, @escaping (Data) throws -> Any) throws -> Result
    ) -> Result? {
        guard let largest = responses.max(by: { $0.body.count < $1.body.count }),
            let json = largest.json
        else { return nil }
        return try? ask(json) { try parse(largest.response(with: $0)) }
    }
}

/// The compared parts of a response.
struct ComparedResponse: Sendable {
    let url: URL?
    let status: Int
    /// The header fields by their names in lower case.
    var fields: [String: String]
    let body: Data
    /// The body, if it is JSON.
    ///
    /// A number or a text alone is JSON only if the server says so.
    let json: JSONValue?

    init(url: String, status: Int, fields: [String: String], body: Data) {
        (self.url, self.status, self.body) = (URL(string: url), status, body)
        self.fields = Dictionary(fields.map { ($0.key.lowercased(), $0.value) }) { $1 }
        let json = try? JSONValue(text: body)
        let isContainer = json?.members != nil || json?.elements != nil
        let type = self.fields["content-type"]?.mediaType ?? ""
        self.json = isContainer || type.hasSuffix("json") ? json : nil
    }

    func field(_ name: String) -> String? { fields[name.lowercased()] }

    var mediaType: String { (field("Content-Type") ?? "").mediaType }

    /// A description of a body that is not JSON.
    var textOfBody: String {
        if body.isEmpty { return "empty" }
        switch body.first(where: { !ByteSet.space.contains($0) }) {
        case UInt8(ascii: "<"):
            let start = String(decoding: body.prefix(100), as: UTF8.self).lowercased()
            return ["<html", "<!doctype html"].contains(where: start.contains) ? "HTML" : "XML"
        case UInt8(ascii: "{"), UInt8(ascii: "["): return "JSON that is not complete"
        default: return json == nil ? "not JSON" : "JSON"
        }
    }

    /// Returns the response for a parser, by default with its own body.
    func response(with body: Data? = nil) -> APIResponse<Data> {
        let http = url.flatMap {
            HTTPURLResponse(
                url: $0, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        }
        return APIResponse(value: body ?? self.body, http: http ?? HTTPURLResponse())
    }
}
