import APIKit
import Foundation

extension Comparison {
    static let growthOfCalls =
        linear("client.load", each: "interceptor") { count in
            try loading(
                with: APIClient(
                    baseURL: baseURL,
                    transport: EmptyTransport { $0.timeoutInterval == Double(60 + count) },
                    interceptors: Array(
                        repeating: RequestAdapter { $0.timeoutInterval += 1 }, count: count)))
        }
        + linear("client.load", each: "observer") { count in
            let calls = Tally()
            let client = APIClient(
                baseURL: baseURL, transport: EmptyTransport(),
                observers: { _ in Array(repeating: CallCounter(calls: calls), count: count) })
            return {
                let earlier = calls.sum
                try await client.load(PageRequest(count: 1), with: 1)
                return calls.sum == earlier + count
            }
        }
        + linear("client.load, sending", each: "header field", counts: [100]) { count in
            try loading(
                with: APIClient(
                    baseURL: baseURL, headers: .numbered(count),
                    transport: EmptyTransport { $0.allHTTPHeaderFields?.count == count }))
        }
        + linear("client.load, receiving", each: "header field", counts: [100]) { count in
            let client = APIClient(
                baseURL: baseURL, transport: EmptyTransport(headers: .numbered(count)))
            return {
                let response = try await client.response(to: PageRequest(count: 1), with: 1)
                return response.http.allHeaderFields.count == count
            }
        }
        + linear("client.load, Retry", each: "attempt") { count in
            let attempts = Tally()
            let client = APIClient(
                baseURL: baseURL,
                transport: EmptyTransport(status: 503) { _ in
                    attempts.add(1)
                    return true
                },
                interceptors: [Retry(maxAttempts: count, baseDelay: .zero)])
            return {
                let earlier = attempts.sum
                do {
                    try await client.load(PageRequest(count: 0), with: 0)
                    return false
                } catch is APIError {
                    return attempts.sum == earlier + count
                }
            }
        }
        + linear("client.pages", each: "page") { count in
            let client = APIClient(baseURL: baseURL, transport: EmptyTransport())
            return {
                var pages = 0
                for try await _ in client.pages(of: PageRequest(count: count), from: 1) {
                    pages += 1
                }
                return pages == count
            }
        }
        + linear("HTTPURLResponse.link", each: "link") { count in
            let links = (0..<count).map { #"<https://a.example/\#($0)>; rel="other""# }
                .joined(separator: ", ")
            let response = try APICall(to: "https://a.example").respond(200, ["Link": links]).http
            return { response.link(relation: "next") == nil }
        }

    private static let baseURL = URL(string: "https://a.example")

    /// Loads with a client whose transport checks the request.
    private static func loading(with client: APIClient) throws -> CheckedRun {
        return {
            try await client.load(PageRequest(count: 1), with: 1)
            return true
        }
    }
}

/// An observer that counts calls.
private struct CallCounter: APIObserver {
    let calls: Tally

    func callStarted() { calls.add(1) }
}

/// A transport that checks a request, and responds at once with an empty body.
private struct EmptyTransport: HTTPTransport {
    var status = 200
    var headers: [String: String] = [:]
    var isRight: @Sendable (URLRequest) -> Bool = { _ in true }

    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        guard isRight(request), let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: nil, headerFields: headers)
        else { throw WrongResult() }
        return (Data(), response)
    }
}

/// A request for one of a number of pages.
private struct PageRequest: PagedAPIRequest {
    typealias ResponseDataType = Void

    let count: Int

    func makeRequest(from page: Int) throws -> URLRequest {
        try URLRequest(.get, "pages", query: ["page": page])
    }

    func nextInput(after response: APIResponse<Void>, from page: Int) -> Int? {
        page < count ? page + 1 : nil
    }
}

extension [String: String] {
    /// Fields with numbers in their names.
    static func numbered(_ count: Int) -> [String: String] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { ("Field-\($0)", "value \($0)") })
    }
}
