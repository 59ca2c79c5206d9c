import APIKit
import Foundation

/// A transport that replays a recording from the bundle of the app.
actor RecordingTransport: HTTPTransport {
    private var entries: [Recording.Entry]

    /// Reads a file `Recordings/NAME.har` of the bundle.
    init(_ name: String, in bundle: Bundle = .main) throws {
        guard
            let file = bundle.url(
                forResource: name, withExtension: "har", subdirectory: "Recordings")
        else { throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: name]) }
        let data = try Data(contentsOf: file)
        entries = try JSONDecoder().decode(Recording.self, from: data).log.entries
    }

    /// Returns the responses to equal requests in their order, and the last one again and again.
    func send(_ request: URLRequest) throws -> (Data, URLResponse) {
        let url = request.url?.absoluteString
        let equal = entries.indices.filter { index in
            entries[index].request.url == url && entries[index].request.method == request.httpMethod
        }
        guard let index = equal.first else {
            throw APIError(.invalidRequest("the recording has no response to it"))
        }
        let response = entries[index].response
        if equal.count > 1 { entries.remove(at: index) }
        guard let head = request.url.flatMap(response.head), let body = response.body else {
            throw URLError(.badServerResponse)
        }
        return (body, head)
    }
}

/// A file in the format HAR 1.2, with the members that a replay needs.
nonisolated struct Recording: Decodable, Sendable {
    struct Log: Decodable, Sendable { var entries: [Entry] }
    struct Entry: Decodable, Sendable { var request: Request, response: Response }
    struct Request: Decodable, Sendable { var method: String, url: String }
    struct Field: Decodable, Sendable { var name: String, value: String }
    struct Content: Decodable, Sendable { var text: String?, encoding: String? }

    struct Response: Decodable, Sendable {
        var status: Int, headers: [Field], content: Content?

        func head(for url: URL) -> HTTPURLResponse? {
            let fields = headers.map { ($0.name, $0.value) }
            return HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1",
                headerFields: Dictionary(fields) { "\($0), \($1)" })
        }

        /// The bytes of the body, or `nil` if its base64 is not valid.
        var body: Data? {
            let text = content?.text ?? ""
            return content?.encoding == "base64" ? Data(base64Encoded: text) : Data(text.utf8)
        }
    }

    var log: Log
}

func makeReplayingClient() throws -> APIClient {
    let client = APIClient(
        baseURL: URL(string: "https://api.example.com/v1"),
        transport: try RecordingTransport("dogs"))
    return client
}
