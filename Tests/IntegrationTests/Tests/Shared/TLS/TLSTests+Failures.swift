#if os(macOS) || os(Linux)
import APIKit
import Foundation
import Testing

extension TLSTests {
    #if canImport(FoundationNetworking)
    // On Apple platforms the system chooses the error codes.

    /// The reasons why a server is not secure.
    enum Fault: CaseIterable {
        case otherHost, expired, notYetValid, unknownRoot, selfSigned, noTLS, closing

        private var certificate: TLSServer.Certificate? {
            switch self {
            case .otherHost: .otherHost
            case .expired: .expired
            case .notYetValid: .notYetValid
            case .unknownRoot: .unknownRoot
            case .selfSigned: .selfSigned
            case .noTLS, .closing: nil
            }
        }

        var code: URLError.Code {
            switch self {
            case .noTLS, .closing: .secureConnectionFailed
            case _ where !TransportUnderTest.explainsCertificates: .serverCertificateUntrusted
            case .expired: .serverCertificateHasBadDate
            case .notYetValid: .serverCertificateNotYetValid
            case .unknownRoot: .serverCertificateHasUnknownRoot
            case .otherHost, .selfSigned: .serverCertificateUntrusted
            }
        }

        /// A part of libcurl's message.
        var reason: String {
            switch self {
            case .otherHost: "'127.0.0.1'"
            case .expired: "certificate has expired"
            case .notYetValid: "certificate is not yet valid"
            case .unknownRoot: "unable to get local issuer certificate"
            case .selfSigned: "self-signed certificate"
            case .noTLS: "wrong version number"
            case .closing: "connect"
            }
        }

        /// Runs a closure with the URL of a server that is not secure for this reason.
        func run(while body: (URL) async throws -> Void) async throws {
            guard let certificate else {
                return try await RawServer.run(serve: { connection in
                    _ = try await connection.bytes()
                    guard self == .noTLS else { return }
                    try await connection.send(.response(400, "no"))
                    _ = await connection.skipToEnd()
                }) { try await body($0.secureURL) }
            }
            try await LocalServer.run(respond: { _ in .text("woof") }) { plain in
                try await TLSServer.run(with: certificate, before: plain.baseURL, while: body)
                #expect(await plain.requests.isEmpty)
            }
        }
    }

    @Test(arguments: Fault.allCases)
    func serverThatIsNotSecureHasItsOwnError(fault: Fault) async throws {
        try await fault.run { url in
            for way in Way.allCases {
                let attempts = AttemptCounter()
                let error = await #expect(throws: APIError.self) {
                    try await way.send(
                        to: url.appending(path: "s3cr3t"),
                        interceptors: [Retry(maxAttempts: 2, baseDelay: .zero), attempts])
                }

                let cause = error?.underlying as? URLError
                #expect(error?.kind == .transport, "\(way)")
                #expect(cause?.code == fault.code, "\(way)")
                #expect(cause?.localizedDescription.contains("s3cr3t") == false)
                #expect(
                    !TransportUnderTest.explainsCertificates
                        || error?.description.contains(fault.reason) == true, "\(way)")
                // The next handshake may succeed, but not with the same certificate.
                #expect(attempts.count == (fault.code == .secureConnectionFailed ? 2 : 1))
            }
        }
    }
    #endif

    @Test(arguments: ExchangeTests.Breakage.allCases.filter { $0 != .refused })
    func brokenResponseOverTLSHasTheErrorOfAPlainOne(
        breakage: ExchangeTests.Breakage
    ) async throws {
        try await breakage.run(with: TransportUnderTest.makeTrusting()) { transport, request in
            let plain = try #require(request.url)
            try await TLSServer.run(before: plain) { url in
                let error = await #expect(throws: APIError.self) {
                    try await Way.load.send(
                        to: url, timeout: request.timeoutInterval, by: transport)
                }

                #expect((error?.underlying as? URLError)?.code == breakage.code)
            }
        }
    }

    @Test(arguments: Way.allCases)
    func unfinishedHandshakeTimesOut(way: Way) async throws {
        try await RawServer.run(serve: { _ = await $0.skipToEnd() }) { server in
            let url = try server.secureURL
            let error = await #expect(throws: APIError.self) {
                try await way.send(to: url, timeout: 1)
            }

            #expect((error?.underlying as? URLError)?.code == .timedOut)
        }
    }
}

/// Counts the attempts of a call.
private final class AttemptCounter: APIInterceptor {
    private let attempts = Locked(0)

    var count: Int { attempts.withLock { $0 } }

    func intercept<Body: Sendable>(
        _ call: APICall, next: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body> {
        attempts.withLock { $0 += 1 }
        return try await next(call)
    }
}
#endif
