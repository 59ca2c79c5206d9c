#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import APIKit

/// The variables of the environment that libcurl reads, in its order.
@Suite(.inTurn) struct ProxyTests {
    private static let host = "https://api.example.com/"

    @Test(arguments: [
        (["https_proxy": "http://proxy:3128"], "proxy:3128"),
        (["HTTPS_PROXY": "proxy:3128"], "proxy:3128"),
        (["all_proxy": "https://ada:secret@proxy"], "proxy"),
        (["ALL_PROXY": "http://[::1]:80/"], "[::1]:80"),
        (["https_proxy": "http://one", "HTTPS_PROXY": "http://two", "ALL_PROXY": "three"], "one"),
        (["https_proxy": "http://proxy", "no_proxy": "other.example, ple.com"], "proxy"),
    ])
    func variableNamesTheProxy(environment: [String: String], address: String) throws {
        let proxy = try #require(Proxy(tunnelingTo: .make(Self.host)) { environment[$0] })

        #expect(proxy.address == address)
    }

    @Test(arguments: [
        [:],
        ["http_proxy": "http://proxy", "HTTP_PROXY": "http://proxy"],
        ["https_proxy": "socks5h://proxy"],
        ["https_proxy": "http://proxy", "no_proxy": "*"],
        ["https_proxy": "http://proxy", "no_proxy": "localhost,example.com"],
        ["https_proxy": "http://proxy", "NO_PROXY": ".Example.com"],
        ["https_proxy": "http://proxy", "no_proxy": "api.example.com other.example"],
    ])
    func requestNeedsNoTunnel(environment: [String: String]) throws {
        #expect(try Proxy(tunnelingTo: .make(Self.host)) { environment[$0] } == nil)
    }

    @Test func plainHTTPNeedsNoTunnel() throws {
        #expect(try Proxy(tunnelingTo: .make("http://api.example.com/")) { _ in "proxy" } == nil)
    }
}
#endif
