import Foundation

/// The properties of a request that select a stored response.
struct CacheKey {
    /// The URL without its fragment, which is never sent.
    let url: String
    /// The header fields as sent, by their names in lower case.
    let fields: [String: String]
    /// The account and the secret header fields, which distinguish users.
    let credentials: [String: String]

    init(_ call: APICall) {
        url = call.request.url?.withoutFragment ?? ""
        fields = call.sentFields
        var credentials = fields.filter { Redaction.hidesHeader($0.key) }
        // Unique, because the name of a header field has no space.
        credentials["the account"] = call.account
        self.credentials = credentials
    }
}

extension URL {
    var withoutFragment: String {
        String(Substring(absoluteString.utf8.prefix { $0 != UInt8(ascii: "#") }))
    }
}
