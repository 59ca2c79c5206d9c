import APIKit
import Foundation

/// How a request type reads a response.
struct ResponseParser: Sendable {
    /// The name of the request type.
    let type: String
    let parse: @Sendable (APIResponse<Data>) throws -> Any
}

extension ResponseParser {
    /// Creates the parser of a request type, which reads the responses that it refuses as errors.
    init<Request: APIRequest>(_ request: Request) {
        self.init(type: String(naming: Request.self)) { response in
            try request.accepts(response.http)
                ? request.parseResponse(response) : request.parseError(response) as Any
        }
    }

    func output(of response: ComparedResponse) throws -> ParsedOutput {
        ParsedOutput(try parse(response.response))
    }

    func text(of error: any Error) -> String {
        "cannot parse the body: \(APIError.clause(for: error))"
    }
}

extension RecordedExchange {
    /// How the request type of the load reads the response, if a client has sent the request.
    var reader: ResponseParser? { request.apiRequest.map { ResponseParser($0) } }

    var compared: ComparedResponse {
        ComparedResponse(
            url: request.url, status: response.status, fields: response.fields.joined,
            body: response.body)
    }
}

/// The compared parts of a response.
struct ComparedResponse: Sendable {
    let url: URL
    let status: Int
    /// The header fields by their names in lower case.
    private(set) var fields: [String: String]
    private(set) var body: Data
    /// The body, if it is one JSON value.
    ///
    /// A number or a text alone is JSON only if the server says so.
    private(set) var json: JSONValue?

    init(url: URL, status: Int, fields: [String: String], body: Data) {
        (self.url, self.status, self.body) = (url, status, body)
        self.fields = Dictionary(fields.map { ($0.key.lowercased(), $0.value) }) { $1 }
        // A line of these is a value, even if it is the only one.
        if ["ndjson", "jsonl"].contains(where: mediaType.hasSuffix) { return }
        let json = try? JSONValue(text: body)
        let isContainer = json?.members != nil || json?.elements != nil
        self.json = isContainer || mediaType.hasSuffix("json") ? json : nil
    }

    var mediaType: String { (fields["content-type"] ?? "").mediaType }

    /// Returns the response with some changes, and its JSON written again.
    func with(_ changes: some Sequence<JSONComparison.Change>) throws -> Self {
        var response = self
        for change in changes {
            if case .field(let name)? = change.steps.first { response.fields[name] = nil }
            response.json = response.json.map(change.made)
        }
        guard let json = response.json else { return response }
        let encoder = JSONEncoder()
        // A parser that reads the bytes must see the changes alone.
        encoder.outputFormatting = .sortedKeys
        response.body = try encoder.encode(json)
        return response
    }

    /// The response for a parser.
    var response: APIResponse<Data> {
        let http = HTTPURLResponse(
            url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        return APIResponse(value: body, http: http ?? HTTPURLResponse())
    }
}
