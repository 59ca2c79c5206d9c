import APIKit
import Foundation

extension MockResponse {
    /// A reply that a client should survive, for a parameterized test.
    public struct Fault: Sendable, CustomStringConvertible {
        /// The name of the fault, which the output of a test shows.
        public let description: String
        /// The reply of the route.
        public let reply: MockResponse
    }

    /// Returns the faults of networks and servers, in place of a good response.
    ///
    /// <doc:responses-and-faults> shows a test of all.
    ///
    /// - Connections: none, a lost one, a timeout after a minute, a redirect to itself, and a slow body.
    /// - Statuses: 401, 403, 404 and 500, and 429 and 503 with `Retry-After: 1`.
    /// - Bodies with status 200: an empty one, a half one, malformed JSON, an HTML page, and members of
    ///   another kind.
    ///
    /// The waits are those of the server's clock, so a `ManualClock` makes them short.
    ///
    /// - Parameter response: The good response, with a body in JSON.
    /// - Returns: The faults.
    public static func faults(of response: MockResponse) -> [Fault] {
        guard case .body(let body) = response.content,
            let json = try? JSONDecoder().decode(JSONValue.self, from: body)
        else {
            let problem = "faults(of:) needs a response with a body in JSON, such as .json(rex)"
            return [Fault(description: "no response", reply: MockResponse(.invalid(problem)))]
        }
        let html = "<!doctype html><title>Sign in to the network</title>"
        let faults: [(String, MockResponse)] = [
            ("no connection", .failure(.notConnectedToInternet)),
            ("a lost connection", .failure(.networkConnectionLost)),
            ("a timeout", .failure(.timedOut).delayed(.seconds(60))),
            ("401", .status(401).header("WWW-Authenticate", "Bearer")),
            ("403", .status(403)),
            ("404", .status(404)),
            ("429 with Retry-After", .status(429).header("Retry-After", "1")),
            ("500", .status(500)),
            ("503 with Retry-After", .status(503).header("Retry-After", "1")),
            ("an empty body", .data(Data(), contentType: "application/json")),
            ("half a body", response.truncated(after: body.count / 2)),
            ("malformed JSON", .text("{", contentType: "application/json")),
            ("an HTML page", .text(html, contentType: "text/html; charset=utf-8")),
            ("members of another kind", .json(json.withMembersOfAnotherKind)),
            ("a redirect to itself", .redirect(to: "#again")),
            ("a slow body", response.throttled(bytesPerSecond: 10)),
        ]
        return faults.map { Fault(description: $0, reply: $1) }
    }
}

extension JSONValue {
    /// A value of another kind.
    var ofAnotherKind: Self {
        if case .string = self { 7 } else { "a text" }
    }

    /// The JSON with each member's value replaced by one of another kind.
    fileprivate var withMembersOfAnotherKind: Self {
        switch self {
        case .object(let members): .object(members.mapValues(\.ofAnotherKind))
        case .array(let elements): .array(elements.map(\.withMembersOfAnotherKind))
        default: ofAnotherKind
        }
    }
}
