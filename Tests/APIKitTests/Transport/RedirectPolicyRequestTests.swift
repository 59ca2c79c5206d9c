import APIKit
import Foundation
import Testing

/// The request that a transport sends after a redirect.
@Suite struct RedirectPolicyRequestTests {
    /// The request after a redirect from `https://api.example.com/v1/dogs`.
    private func next(
        _ policy: RedirectPolicy, _ location: String, redirectCount: Int = 0
    ) throws -> URLRequest? {
        let response = try HTTPURLResponse.make(302, headers: ["Location": location])
        return try policy.request(
            after: response, to: .make(headers: ["Authorization": "Bearer x"]),
            redirectCount: redirectCount)
    }

    @Test func policyDecidesAboutTheRequestAfterARedirect() throws {
        let (same, other) = ("https://api.example.com/cats", "https://other.example/cats")

        #expect(try next(.follow, same)?.url?.absoluteString == same)
        #expect(try next(.follow, other)?.url?.absoluteString == other)
        #expect(try next(.sameOrigin, same)?.url?.absoluteString == same)
        #expect(try next(.sameOrigin, other) == nil)
        #expect(try next(.never, same) == nil)
    }

    @Test func requestAfterARedirectToAnotherOriginHasNoCredentials() throws {
        let next = try #require(try next(.follow, "https://other.example/cats"))

        #expect(next.value(forHTTPHeaderField: "Authorization") == nil)
    }

    @Test(arguments: [
        ("/cats", "#top"), ("/cats#end", "#end"), ("https://other.example/cats", "#top"),
    ])
    func requestAfterARedirectInheritsTheFragment(location: String, fragment: String) throws {
        let request = try URLRequest.make("GET", "https://api.example.com/v1/dogs#top")

        let next = try RedirectPolicy.follow.request(
            after: .make(302, headers: ["Location": location]), to: request, redirectCount: 0)

        #expect(next?.url?.absoluteString.hasSuffix("cats" + fragment) == true)
    }

    @Test func requestAfterSixteenRedirectsIsAnError() throws {
        #expect(try next(.follow, "/cats", redirectCount: 15) != nil)
        let error = #expect(throws: URLError.self) {
            try next(.follow, "/cats", redirectCount: 16)
        }
        #expect(error?.code == .httpTooManyRedirects)
        #expect(try next(.never, "/cats", redirectCount: 16) == nil)
    }
}
