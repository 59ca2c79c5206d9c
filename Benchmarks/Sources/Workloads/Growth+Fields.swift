import APIKit
import APIKitTesting
import Foundation

extension Comparison {
    // Servers accept about 100 header fields.
    static let growthOfFields =
        linear("URLRequest(headers:)", each: "header field", counts: [100]) { count in
            let headers = [String: String].numbered(count)
            return { _ = try URLRequest(.get, "path", headers: headers) }
        }
        + linear("URLRequest(query:)", each: "query item") { count in
            let query = query(count)
            return { _ = try URLRequest(.get, "path", query: query) }
        }
        + linear("APIPath", each: "value") { count in
            return {
                var path = APIPath.StringInterpolation(
                    literalCapacity: 0, interpolationCount: count)
                for number in 0..<count {
                    path.appendLiteral("/")
                    path.appendInterpolation(number)
                }
                _ = try URLRequest(.get, APIPath(stringInterpolation: path))
            }
        }
        + linear("HTTPBody.form", each: "field") { count in
            let query = query(count)
            return { _ = try HTTPBody.form(query).data() }
        }
        + linear("HTTPBody.multipart", each: "part") { count in
            let form = form(count)
            return { _ = try HTTPBody.multipart(form).data() }
        }
        + linear("RecordedRequest.parts", each: "part") { count in
            let request = try await received(URLRequest(.post, url, body: .multipart(form(count))))
            return { try WrongResult.unless(request.parts.count == count) }
        }
        + linear("RecordedRequest.form", each: "field") { count in
            let request = try await received(URLRequest(.post, url, body: .form(query(count))))
            return { try WrongResult.unless(request.form.count == count) }
        }
        + linear("RecordedRequest.queryItems", each: "query item") { count in
            let request = try await received(URLRequest(.get, url, query: query(count)))
            return { try WrongResult.unless(request.queryItems.count == count) }
        }
        + linear("RecordedRequest.cookies", each: "cookie") { count in
            let cookies = (0..<count).map { "name\($0)=value" }.joined(separator: "; ")
            let request = try await received(
                URLRequest(.get, url, headers: ["Cookie": cookies]))
            return { try WrongResult.unless(request.cookies.count == count) }
        }
        + linear("MockServer.send", each: "path parameter") { count in
            let server = MockServer()
            server.on(.get((0..<count).map { "/{name\($0)}" }.joined()))
            let request = try URLRequest(
                to: "https://a.example" + String(repeating: "/value", count: count))
            return { _ = try await server.send(request) }
        }
        + linear("MockServer.send, a pattern of the query", each: "query item") { count in
            let server = MockServer()
            server.on(.any.query(exactly: query(count)))
            let request = try URLRequest(.get, url, query: query(count))
            return { _ = try await server.send(request) }
        }
        + linear("MockServer.send, a pattern of JSON", each: "member") { count in
            let server = MockServer()
            server.on(.any.json([String: String].numbered(count)))
            let request = try URLRequest(
                .post, url, body: .json([String: String].numbered(count)))
            return { _ = try await server.send(request) }
        }
        + linear("MockServer.send, a pattern of a part of JSON", each: "member") { count in
            let server = MockServer()
            server.on(.any.jsonContaining([String: String].numbered(count)))
            let request = try URLRequest(
                .post, url, body: .json([String: String].numbered(count)))
            return { _ = try await server.send(request) }
        }
        + linear("curlCommand", each: "header field", counts: [100]) { count in
            let request = try URLRequest(.get, url, headers: .numbered(count))
            return { try WrongResult.unless(request.curlCommand().count > 10 * count) }
        }
        + linear("curlCommand", each: "query item") { count in
            let request = try URLRequest(.get, url, query: query(count))
            return { try WrongResult.unless(request.curlCommand().count > 10 * count) }
        }
        + linear("curlCommand", each: "JSON member") { count in
            let request = try URLRequest(
                .post, url, body: .json([String: String].numbered(count)))
            return { try WrongResult.unless(request.curlCommand().count > 10 * count) }
        }
        + linear("curlCommand, secrets of JSON", each: "object") { count in
            let secrets = Array(repeating: ["password": "0123456789"], count: count)
            let request = try URLRequest(.post, url, body: .json(secrets))
            return { try WrongResult.unless(request.curlCommand().count > 10 * count) }
        }
        + flat("curlCommand", with: "secret name") { count in
            let redaction = Redaction.secrets.adding(values: (0..<count).map { "secret-\($0)" })
            let request = try URLRequest(.get, url, query: ["page": 7])
            return {
                try WrongResult.unless(!request.curlCommand(redacting: redaction).isEmpty)
            }
        }
        + linear("LogObserver", each: "header field", counts: [100]) { count in
            let call = try APICall(to: "https://a.example", .numbered(count))
            return {
                let observer = LogObserver(call, detail: .headers, log: { _ in })
                observer.requestSent(call.request, attempt: 1)
            }
        }

    private static let url: APIPath = "https://a.example/path"

    private static func query(_ count: Int) -> QueryItems {
        var query: QueryItems = [:]
        for number in 0..<count { query.append("name\(number)", "a value") }
        return query
    }

    private static func form(_ count: Int) -> MultipartForm {
        MultipartForm((0..<count).map { .text("name\($0)", "a value") })
    }

    private static func received(_ request: URLRequest) async throws -> RecordedRequest {
        let server = MockServer()
        server.on(.any)
        _ = try await server.send(request)
        return server.requests[0]
    }
}
