import APIKit
import Foundation

extension Comparison {
    static let growthOfCalls =
        linear("client.load", each: "interceptor") { count in
            try loading(
                with: APIClient(
                    baseURL: baseURL, transport: EmptyTransport(),
                    interceptors: Array(repeating: RequestAdapter { _ in }, count: count)))
        }
        + linear("client.load", each: "observer") { count in
            try loading(
                with: APIClient(
                    baseURL: baseURL, transport: EmptyTransport(),
                    observers: { _ in Array(repeating: SilentObserver(), count: count) }))
        }
        + linear("client.load, sending", each: "header field", counts: [100]) { count in
            try loading(
                with: APIClient(
                    baseURL: baseURL, headers: .numbered(count), transport: EmptyTransport()))
        }
        + linear("client.load, receiving", each: "header field", counts: [100]) { count in
            try loading(
                with: APIClient(
                    baseURL: baseURL, transport: EmptyTransport(headers: .numbered(count))))
        }
        + linear("client.load, Retry", each: "attempt") { count in
            let client = APIClient(
                baseURL: baseURL, transport: EmptyTransport(status: 503),
                interceptors: [Retry(maxAttempts: count, baseDelay: .zero)])
            return {
                do {
                    try await client.load(PageRequest(count: 0), with: 0)
                    throw WrongResult()
                } catch is APIError {}
            }
        }
        + linear("client.pages", each: "page") { count in
            let client = APIClient(baseURL: baseURL, transport: EmptyTransport())
            return {
                var pages = 0
                for try await _ in client.pages(of: PageRequest(count: count), from: 1) {
                    pages += 1
                }
                try WrongResult.unless(pages == count)
            }
        }
        + linear("HTTPURLResponse.link", each: "link") { count in
            let links = (0..<count).map { #"<https://a.example/\#($0)>; rel="other""# }
                .joined(separator: ", ")
            let response = try APICall(to: "https://a.example").respond(200, ["Link": links]).http
            return { try WrongResult.unless(response.link(relation: "next") == nil) }
        }

    private static let baseURL = URL(string: "https://a.example")

    private static func loading(with client: APIClient) throws -> Workload.Run {
        return { try await client.load(PageRequest(count: 1), with: 1) }
    }
}

/// A transport that responds at once with an empty body.
private struct EmptyTransport: HTTPTransport {
    var status = 200
    var headers: [String: String] = [:]

    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        guard let url = request.url,
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
