extension Cassette {
    /// A component of a request that must be equal for an entry to match.
    public struct Component: Sendable, Hashable {
        enum Kind: Hashable {
            case method, url, host, path, query, body
            case header(String)
        }

        let kind: Kind

        /// The method.
        public static let method = Component(kind: .method)
        /// The scheme, the host, the port, the path, and the items of the query in any order.
        public static let url = Component(kind: .url)
        /// The host and the port.
        public static let host = Component(kind: .host)
        /// The path.
        public static let path = Component(kind: .path)
        /// The items of the query, in any order.
        public static let query = Component(kind: .query)
        /// The body.
        ///
        /// The order of JSON members and form fields, white space in JSON, and the boundary of a
        /// multipart body do not matter.
        public static let body = Component(kind: .body)
        /// The value of a header field, whose name may have any case.
        public static func header(_ name: String) -> Component {
            Component(kind: .header(name.lowercased()))
        }
    }
}
