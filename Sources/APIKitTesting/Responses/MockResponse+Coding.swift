import Foundation

extension MockResponse {
    /// Whether the first bytes of the body are those of its content coding, if that is gzip or deflate.
    ///
    /// A body that has another form counts as decoded, as if it were copied from a decoded response.
    var isEncoded: Bool? {
        // To change the case of a long name allocates memory.
        let field = headers.first {
            $0.key.utf8.count == 16 && $0.key.lowercased() == "content-encoding"
        }
        switch (content, field?.value.lowercased()) {
        case (.body(let body), let coding?) where !body.isEmpty && !isDecoded,
            (.resource(let body), let coding?):
            switch coding {
            // RFC 1952, section 2.3.1.
            case "gzip", "x-gzip": return body.starts(with: [0x1F, 0x8B])
            // RFC 1950, section 2.2.
            case "deflate":
                let start = body.prefix(2).reduce(0) { $0 << 8 | Int($1) }
                return start >> 8 & 15 == 8 && start.isMultiple(of: 31)
            default: return nil
            }
        default: return nil
        }
    }
}
