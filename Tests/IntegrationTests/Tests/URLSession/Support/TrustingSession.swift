import APIKit
import Foundation

#if canImport(FoundationNetworking)

/// Makes libcurl trust the authority of the TLS tests, in this process.
///
/// On Linux, a URL session trusts only the certificates of the system, which the tests must not change:
/// Foundation has no setting and no environment variable for others. The dynamic linker prefers this
/// function of the program to the function of libcurl, which it calls.
@_cdecl("curl_easy_init")
public func makeTrustingHandle() -> UnsafeMutableRawPointer? {
    // RTLD_NEXT (dlsym(3)), a macro that Swift does not import.
    let next = UnsafeMutableRawPointer(bitPattern: -1)
    typealias Make = @convention(c) () -> UnsafeMutableRawPointer?
    typealias Set = @convention(c) (UnsafeMutableRawPointer, CInt, UnsafePointer<CChar>) -> CInt
    guard let make = dlsym(next, "curl_easy_init"),
        // The function of Foundation for `curl_easy_setopt`, which is variadic.
        let set = dlsym(next, "CFURLSession_easy_setopt_ptr"),
        let handle = unsafeBitCast(make, to: Make.self)()
    else { return nil }
    // CURLOPT_CAINFO (curl/curl.h). libcurl copies the text.
    _ = unsafeBitCast(set, to: Set.self)(handle, 10_065, TLSServer.authority.path)
    return handle
}

#elseif os(macOS)
import Security

/// A delegate that trusts the authority of the TLS tests.
final class TrustingDelegate: NSObject, URLSessionDelegate {
    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let trust = challenge.protectionSpace.serverTrust,
            let text = try? String(contentsOf: TLSServer.authority, encoding: .utf8),
            let data = Data(
                base64Encoded: text.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()),
            let authority = SecCertificateCreateWithData(nil, data as CFData)
        else { return completionHandler(.performDefaultHandling, nil) }
        // The policy for servers refuses certificates that are valid for more than 825 days.
        SecTrustSetPolicies(trust, SecPolicyCreateBasicX509())
        SecTrustSetAnchorCertificates(trust, [authority] as CFArray)
        let isTrusted = SecTrustEvaluateWithError(trust, nil)
        completionHandler(
            isTrusted ? .useCredential : .performDefaultHandling, URLCredential(trust: trust))
    }
}
#endif
