import APIKit
import Foundation

/// How a request type reads a response.
struct ResponseParser: Sendable {
    let type: String
    let parse: @Sendable (APIResponse<Data>) throws -> Any
}

extension ResponseParser {
    /// Creates the parser of a request type, which reads the responses that it refuses as errors.
    init<Request: APIRequest>(_ request: Request) {
        self.init(type: "\(Request.self)") { response in
            guard request.accepts(response.http) else {
                return try request.parseError(response) as Any
            }
            return try request.parseResponse(response)
        }
    }

    /// Returns the output as a tree.
    func output(of response: ComparedResponse) throws -> JSONValue {
        JSONValue(reflecting: try parse(response.response))
    }

    /// Returns the probe of the largest of some responses, or `nil` if the parser cannot parse it.
    func probe(of responses: [ComparedResponse]) -> ParserProbe? {
        responses.max { $0.body.count < $1.body.count }.flatMap {
            try? ParserProbe(of: $0, by: self)
        }
    }
}

/// The compared parts of a response.
struct ComparedResponse: Sendable {
    let url: URL
    let status: Int
    /// The header fields by their names in lower case.
    var fields: [String: String]
    private(set) var body: Data
    /// The body, if it is JSON.
    ///
    /// A number or a text alone is JSON only if the server says so.
    private(set) var json: JSONValue?

    init(url: URL, status: Int, fields: [String: String], body: Data) {
        (self.url, self.status) = (url, status)
        self.fields = Dictionary(fields.map { ($0.key.lowercased(), $0.value) }) { $1 }
        self.body = body
        let json = try? JSONValue(text: body)
        let isContainer = json?.members != nil || json?.elements != nil
        self.json = isContainer || mediaType.hasSuffix("json") ? json : nil
    }

    var mediaType: String { (fields["content-type"] ?? "").mediaType }

    /// A description of a body that is not JSON, without its text.
    var textOfBody: String {
        body.isEmpty ? "empty" : "not JSON (\(mediaType), \(body.count) bytes)"
    }

    /// Returns the response with another JSON body, if there is one.
    func with(_ json: JSONValue?) -> Self {
        let encoder = JSONEncoder()
        // A parser that keeps the bytes must see the change alone.
        encoder.outputFormatting = .sortedKeys
        guard let json, let body = try? encoder.encode(json) else { return self }
        var response = self
        (response.json, response.body) = (json, body)
        return response
    }

    /// The response for a parser.
    var response: APIResponse<Data> {
        let http = HTTPURLResponse(
            url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        return APIResponse(value: body, http: http ?? HTTPURLResponse())
    }
}
