import APIKit
import Foundation

/// A call whose first request may be redirected, and whose last one ends in some way.
struct RedirectedCall: CustomStringConvertible, Equatable, Sendable {
    enum Double: CaseIterable { case transport, session, port }
    enum Fault: Hashable { case status(Int), lost, refused, slow }
    enum Target: CaseIterable { case result, itself, otherOrigin }
    enum Layer: CaseIterable { case retry, bearer, key, cache, coalescing, deadline, limit }
    enum Verb: CaseIterable { case load, upload, stream, download }

    var method = HTTPMethod.post
    var hasBody = false
    var redirect: Int? = 303
    var fault = Fault.status(200)
    var target = Target.result
    var layers: [Layer] = []
    var verb = Verb.load
    /// Whether an equal call has succeeded before, whose response a cache holds.
    var isWarm = false
    var double = Double.transport

    /// Makes a call at random.
    static func random(for double: Double, using random: inout SeededGenerator) -> RedirectedCall {
        func pick<Value>(_ values: [Value]) -> Value {
            values[Int.random(in: values.indices, using: &random)]
        }
        while true {
            let call = RedirectedCall(
                method: pick([.get, .get, .post, .post, .put, .patch, .delete, .head]),
                hasBody: pick([false, true]),
                redirect: pick([nil, 301, 302, 303, 303, 307, 308]),
                fault: pick(
                    [200, 401, 403, 408, 429, 500, 503].map(Fault.status)
                        + [.lost, .refused, .slow]),
                target: pick(Target.allCases),
                layers: Array(
                    Layer.allCases.shuffled(using: &random).prefix(pick([0, 1, 2, 2, 3]))),
                verb: pick(Verb.allCases), isWarm: pick([false, false, true]), double: double)
            if call.isPossible { return call }
        }
    }

    private var isPossible: Bool {
        let reads = method == .get || method == .head
        return (target == .result || redirect != nil)
            // A request that is redirected to itself never ends.
            && (target != .itself || becomesGet && method != .get)
            && !(hasBody && reads) && (verb != .upload || hasBody)
            && !(method == .head && verb == .download)
            // Only a deadline ends a call without a response.
            && (fault != .slow || layers.contains(.deadline))
            && (!isWarm || method == .get && verb == .load && layers.contains(.cache))
            // A port cannot refuse a connection, and a session repeats on a lost one by itself.
            && (double != .port || [.lost, .refused, .slow].allSatisfy { $0 != fault })
    }

    /// The calls that are simpler by one thing, of which the simplest comes first.
    var simpler: [RedirectedCall] {
        var calls: [RedirectedCall] = []
        func add(_ change: (inout RedirectedCall) -> Void) {
            var call = self
            change(&call)
            if call != self, call.isPossible { calls.append(call) }
        }
        add { ($0.redirect, $0.target) = (nil, .result) }
        for index in layers.indices { add { $0.layers.remove(at: index) } }
        add { $0.verb = .load }
        add { $0.double = .transport }
        add { $0.isWarm = false }
        add { $0.hasBody = false }
        add { $0.target = .result }
        add { $0.fault = .status(200) }
        add { $0.method = .get }
        return calls
    }

    var description: String {
        """
        \(verb) \(method)\(hasBody ? " with a body" : "")\(isWarm ? ", stored before" : ""), \
        \(redirect.map { "\($0) to \(target), then " } ?? "")\(fault), \(layers), \(double)
        """
    }
}

// MARK: - The model

extension RedirectedCall {
    struct Outcome: Equatable {
        /// The method, the host, the path, the token, the condition and the body of each request.
        var requests: [String]
        /// The steps that the observers see.
        var steps: [String]
        var end: String
        /// What is left: files besides the download, and places of a limit.
        var leftovers: [String] = []
    }

    var becomesGet: Bool {
        redirect == 303 && method != .head || [301, 302].contains(redirect) && method == .post
    }

    /// The requests that arrive, and how the call ends.
    var allowed: Outcome {
        let isOther = target == .otherOrigin
        let isSafe = [.get, .head, .put, .delete].contains(method) || hasKey
        /// A server may have processed the request, and it must not be repeated.
        let isProcessed = [301, 302, 303].contains(redirect) && !isSafe
        let chain = chain(token: 0)
        let isRefreshed = fault == .status(401) && layers.contains(.bearer) && !isOther
        let isRetried = isTemporary(isSafe || isProcessed && becomesGet)
        let hasHead = fault != .lost && fault != .refused && fault != .slow
        let first = ["sent 1"] + (hasHead ? ["received 1"] : [])
        guard !(isProcessed && isOther), isRefreshed || isRetried else {
            return Outcome(
                requests: chain,
                steps: ["started"] + first + [end == "200" ? "succeeded" : "failed"],
                end: end)
        }
        let again = self.chain(token: isRefreshed ? 1 : 0)
        return Outcome(
            requests: chain + (isProcessed ? again.dropFirst().prefix(1) : again[...]),
            steps: ["started"] + first + ["sent 2", "received 2", "succeeded"], end: "200")
    }

    private func chain(token: Int) -> [String] {
        let first = text(method, start, token: token, hasBody: hasBody)
        guard redirect != nil else { return [first] }
        return [
            first,
            text(
                becomesGet ? .get : method, targetURL, token: target == .otherOrigin ? nil : token,
                hasBody: hasBody && !becomesGet),
        ]
    }

    private var hasKey: Bool { layers.contains(.key) && [.post, .patch].contains(method) }

    /// Whether `Retry` sends the call again.
    private func isTemporary(_ isIdempotent: Bool) -> Bool {
        guard let retry = layers.firstIndex(of: .retry) else { return false }
        return switch fault {
        case .status(429), .refused: true
        case .status(408), .status(500), .status(503), .lost: isIdempotent
        // A deadline outside the retries ends the call.
        case .slow: isIdempotent && layers.firstIndex(of: .deadline).map { $0 > retry } == true
        default: false
        }
    }

    /// Whether a request has the condition of the stored response.
    ///
    /// No condition goes to another origin (RFC 9110, section 15.4). A cache inside the authentication stores
    /// by the token.
    private func isConditional(_ token: Int?) -> Bool {
        guard isWarm, let token, let cache = layers.firstIndex(of: .cache) else { return false }
        return token == 0 || layers.firstIndex(of: .bearer).map { $0 > cache } == true
    }

    private func text(_ method: HTTPMethod, _ url: URL, token: Int?, hasBody: Bool) -> String {
        Self.text(
            method, url, token: layers.contains(.bearer) ? token.map { "token\($0)" } : nil,
            isConditional: isConditional(token), body: hasBody ? Self.body : "")
    }

    static let body = "order"

    static func text(
        _ method: HTTPMethod, _ url: URL, token: String?, isConditional: Bool, body: String
    ) -> String {
        """
        \(method) \(url.host ?? "")\(url.path) \(token ?? "none")\(isConditional ? " if" : "") \(body)
        """
    }

    private var end: String {
        let hasResult = redirect != nil && becomesGet && method != .get
        let subject =
            hasResult
            ? "\(method) \(start) was processed, but GET \(targetURL)" : "\(method) \(start)"
        return switch fault {
        case .status(200): "200"
        case .status(let status): "\(subject) was refused with status \(status)."
        case .lost: "\(subject) failed: the connection was lost (URLError -1005)."
        case .refused:
            "\(subject) failed: the host does not accept the connection (URLError -1004)."
        case .slow: "\(subject) did not finish within its deadline."
        }
    }
}
