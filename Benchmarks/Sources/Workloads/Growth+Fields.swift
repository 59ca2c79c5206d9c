import APIKit
import APIKitTesting
import Foundation

extension Comparison {
    // Servers accept about 100 header fields, so rows that depend on Foundation stop there.
    static let growthOfFields =
        linear("URLRequest(headers:)", each: "header field") { count in
            let headers = [String: String].numbered(count)
            return {
                try URLRequest(.get, "path", headers: headers).allHTTPHeaderFields?.count == count
            }
        }
        + linear("URLRequest(query:)", each: "query item") { count in
            let query = query(count)
            return {
                let url = try URLRequest(.get, "path", query: query).url
                return (url?.relativeString.utf8.count ?? 0) > 10 * count
            }
        }
        + linear("APIPath", each: "value") { count in
            return {
                var path = APIPath.StringInterpolation(
                    literalCapacity: 0, interpolationCount: count)
                for number in 0..<count {
                    path.appendLiteral("/")
                    path.appendInterpolation(number)
                }
                let url = try URLRequest(.get, APIPath(stringInterpolation: path)).url
                return (url?.relativeString.utf8.count ?? 0) >= 2 * count
            }
        }
        + linear("HTTPBody.form", each: "field") { count in
            let query = query(count)
            return { try HTTPBody.form(query).data().count > 10 * count }
        }
        + linear("HTTPBody.multipart", each: "part") { count in
            let form = form(count)
            return { try HTTPBody.multipart(form).data().count > 50 * count }
        }
        + linear("RecordedRequest.parts", each: "part") { count in
            let request = try await received(URLRequest(.post, url, body: .multipart(form(count))))
            return { request.parts.count == count }
        }
        + linear("RecordedRequest.form", each: "field") { count in
            let request = try await received(URLRequest(.post, url, body: .form(query(count))))
            return { request.form.count == count }
        }
        + linear("RecordedRequest.queryItems", each: "query item") { count in
            let request = try await received(URLRequest(.get, url, query: query(count)))
            return { request.queryItems.count == count }
        }
        + linear("RecordedRequest.cookies", each: "cookie") { count in
            let cookies = (0..<count).map { "name\($0)=value" }.joined(separator: "; ")
            let request = try await received(
                URLRequest(.get, url, headers: ["Cookie": cookies]))
            return { request.cookies.count == count }
        }
        + linear("MockServer.send", each: "path parameter") { count in
            let server = MockServer()
            server.on(.get((0..<count).map { "/{name\($0)}" }.joined()))
            let request = try URLRequest(
                to: "https://a.example" + String(repeating: "/value", count: count))
            return { try await server.responds(to: request) }
        }
        + linear("MockServer.send, a pattern of the query", each: "query item") { count in
            let server = MockServer()
            server.on(.any.query(exactly: query(count)))
            let request = try URLRequest(.get, url, query: query(count))
            return { try await server.responds(to: request) }
        }
        + linear("MockServer.send, a pattern of JSON", each: "member") { count in
            let server = MockServer()
            server.on(.any.json([String: String].numbered(count)))
            let request = try URLRequest(
                .post, url, body: .json([String: String].numbered(count)))
            return { try await server.responds(to: request) }
        }
        + linear("MockServer.send, a pattern of a part of JSON", each: "member") { count in
            let server = MockServer()
            server.on(.any.jsonContaining([String: String].numbered(count)))
            let request = try URLRequest(
                .post, url, body: .json([String: String].numbered(count)))
            return { try await server.responds(to: request) }
        }
        + linear("curlCommand", each: "header field", counts: [100]) { count in
            let request = try URLRequest(.get, url, headers: .numbered(count))
            return { request.curlCommand().count > 10 * count }
        }
        + linear("curlCommand", each: "query item") { count in
            let request = try URLRequest(.get, url, query: query(count))
            return { request.curlCommand().count > 10 * count }
        }
        + linear("curlCommand", each: "JSON member") { count in
            let request = try URLRequest(
                .post, url, body: .json([String: String].numbered(count)))
            return { request.curlCommand().count > 10 * count }
        }
        + linear("curlCommand, secrets of JSON", each: "object") { count in
            let secrets = Array(repeating: ["password": "0123456789"], count: count)
            let request = try URLRequest(.post, url, body: .json(secrets))
            return { request.curlCommand().count > 10 * count }
        }
        + linear("curlCommand, names without values in a text", each: "name") { count in
            try masking("*token:", count)
        }
        + linear("curlCommand, tags without an end in a text", each: "tag") { count in
            try masking("<a b=", count)
        }
        + linear("curlCommand, users of no URL in a text", each: "user") { count in
            try masking("u:p@", count)
        }
        + linear("curlCommand, escapes of escapes in a text", each: "escape") { count in
            try masking("%2525", count)
        }
        + flat("curlCommand", with: "secret name") { count in
            let redaction = Redaction.secrets.adding(values: (0..<count).map { "secret-\($0)" })
            let request = try URLRequest(.get, url, query: ["page": 7])
            return {
                request.curlCommand(redacting: redaction) == "curl 'https://a.example/path?page=7'"
            }
        }
        + linear("LogObserver", each: "header field", counts: [100]) { count in
            let call = try APICall(to: "https://a.example", .numbered(count))
            return {
                let length = Tally()
                let observer = LogObserver(
                    call, detail: .headers, log: { length.add("\($0)".utf8.count) })
                observer.requestSent(call.request, attempt: 1)
                return length.sum > 10 * count
            }
        }

    private static let url: APIPath = "https://a.example/path"

    /// Masks a secret after a text that is repeated.
    private static func masking(_ text: String, _ count: Int) throws -> CheckedRun {
        let body = String(repeating: text, count: count) + "\npassword=secret"
        let request = try URLRequest(
            .post, url, body: .data(Data(body.utf8), contentType: "text/plain"))
        return {
            let command = request.curlCommand()
            return command.utf8.count > body.utf8.count && !command.contains("secret")
        }
    }

    private static func query(_ count: Int) -> QueryItems {
        var query: QueryItems = [:]
        for number in 0..<count { query.append("name\(number)", "a value") }
        return query
    }

    private static func form(_ count: Int) -> MultipartForm {
        (0..<count).reduce(into: [:]) { $0.append("name\($1)", .text("a value")) }
    }

    private static func received(_ request: URLRequest) async throws -> RecordedRequest {
        let server = MockServer()
        server.on(.any)
        _ = try await server.send(request)
        return server.requests[0]
    }
}
