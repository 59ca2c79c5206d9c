import Foundation

/// The parts of a call by which a cache finds the response to it.
struct CacheQuery {
    /// The URL without its fragment, which is never sent.
    let url: String
    /// The header fields that are sent, names in lower case.
    let fields: [String: String]
    /// The account and the secret header fields, which tell one user from another.
    let user: [String: String]

    init(_ call: APICall) {
        url = call.request.url?.withoutFragment ?? ""
        fields = call.sentFields
        var user = fields.filter { Redaction.hidesHeader($0.key) }
        // No name of a header field has a space.
        user["the account"] = call.account
        self.user = user
    }
}

extension URL {
    var withoutFragment: String { String(absoluteString.prefix { $0 != "#" }) }
}
