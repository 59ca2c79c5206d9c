/// A token that calls send, and the result of its refresh.
///
/// Every call that sends the token retains it, so a 401 that arrives after the refresh still finds
/// the result.
final class SharedToken: Sendable {
    /// A token, and the account that it belongs to if its provider names the account.
    struct Credential: Hashable {
        let token: String
        let account: String?

        static func == (first: Self, second: Self) -> Bool {
            first.bytes == second.bytes
        }

        func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

        /// The bytes of the token and of the account, as a server compares them.
        ///
        /// As strings, two Unicode spellings of `café` would be equal.
        private var bytes: [[UInt8]?] { [Array(token.utf8), account.map { Array($0.utf8) }] }

        /// Whether a call may switch from the other credential to this one.
        func mayReplace(_ other: Self) -> Bool {
            self == other || account != nil && bytes[1] == other.bytes[1]
        }
    }

    /// The token that replaces this token, `nil` if there is none, or the error of the refresh.
    typealias Replacement = Result<SharedToken?, any Error>

    let credential: Credential
    let replacement = Locked<Replacement?>(nil)

    /// The newest token that has replaced this token, or this token itself.
    var latest: SharedToken {
        var token = self
        while case .success(let next?) = token.replacement.withLock({ $0 }) { token = next }
        return token
    }

    init(_ credential: Credential) {
        self.credential = credential
    }
}
