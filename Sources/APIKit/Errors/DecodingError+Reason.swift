import Foundation

extension DecodingError {
    /// Creates an error for data that cannot be decoded, with a reason.
    init(_ reason: String) {
        self = .dataCorrupted(Context(codingPath: [], debugDescription: reason))
    }

    /// Returns the place that cannot be decoded, with what was expected.
    ///
    /// The text names the kinds of values, not the values. Only a decoder's own description may quote
    /// an invalid value, with secrets masked. Only a body that Foundation calls invalid is parsed
    /// again, up to 65,536 bytes, so a large body costs no more than a small one.
    package func reason(in body: Data? = nil, of response: HTTPURLResponse? = nil) -> String {
        switch self {
        case .keyNotFound(let key, let context):
            "\(context.codingPath.place) has no \"\(key.name(isSecret: context.isSecret))\""
        case .valueNotFound(let type, let context):
            context.mismatch(of: type, found: "no value")
        case .typeMismatch(let type, let context):
            context.mismatch(of: type, found: "another type")
        case .dataCorrupted(let context):
            body.flatMap { context.reason(of: $0, response) } ?? context.reason
        @unknown default:
            "it is not valid"
        }
    }
}

extension DecodingError.Context {
    /// Whether a key of the path names a secret.
    fileprivate var isSecret: Bool {
        codingPath.contains { Redaction.hidesValue(named: $0.stringValue) }
    }

    fileprivate func mismatch(of type: any Any.Type, found: String) -> String {
        let expected =
            type == [String: Any].self ? "an object" : type == [Any].self ? "an array" : "\(type)"
        return "\(codingPath.place): expected \(expected), found \(found)"
    }

    /// Describes a body that is empty or not JSON, or returns `nil` for any other failure.
    fileprivate func reason(of body: Data, _ response: HTTPURLResponse?) -> String? {
        // This is Foundation's wording. Another decoder may expect a format other than JSON.
        guard codingPath.isEmpty, debugDescription.hasPrefix("The given data was not") else {
            return nil
        }
        if body.isEmpty {
            return "the body is empty" + (response.map { " (status \($0.statusCode))" } ?? "")
        }
        let first = body.first { !" \t\r\n".utf8.contains($0) }
        guard debugDescription.contains("JSON"), let first else { return nil }
        if "{[\"-0123456789".utf8.contains(first) {
            // Foundation does not distinguish a number such as 0.5 in place of an `Int`.
            if body.count <= 65_536, body.isJSON {
                return "the body is JSON, but a number in it does not fit its type"
            }
            return "the body is not valid JSON, or a number in it does not fit its type"
                + (position.map { ": \($0)" } ?? "")
        }
        let mediaType = Redaction.excerpt(of: response?.mediaType ?? "", upTo: 60)
        let type = mediaType.isEmpty || mediaType.contains("json") ? "" : "\(mediaType), "
        let start = body.start(sentWith: response).map { ": \($0)" } ?? ""
        return "the body is \(type)not JSON\(start)"
    }

    /// The place of an invalid value, and the reason.
    fileprivate var reason: String {
        let details = isSecret ? "" : details
        guard !codingPath.isEmpty else { return details.isEmpty ? "it is not valid" : details }
        return "\(codingPath.place) is not valid" + (details.isEmpty ? "" : ": \(details)")
    }

    /// The decoder's description, which may contain the value, and the underlying error.
    private var details: String {
        // A decoder may quote a value of any length.
        let text = Redaction.excerpt(of: debugDescription, upTo: 200).withoutFullStop
        let cause = (underlyingError as? DecodingError)?.reason() ?? position
        return [text, cause ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
    }

    /// The position of invalid JSON, which Apple's parser reports together with text from the body.
    private var position: String? {
        let info = (underlyingError as NSError?)?.userInfo[NSDebugDescriptionErrorKey] as? String
        return info?.firstMatch(of: /line \d+, column \d+/).map { String($0.output) }
    }
}

extension Data {
    fileprivate var isJSON: Bool {
        (try? JSONSerialization.jsonObject(with: self, options: .fragmentsAllowed)) != nil
    }

    /// Returns the start of a text on one line with secrets masked, or `nil` for other data.
    ///
    /// A text of one word is not shown, because it may be a token.
    func start(sentWith response: HTTPURLResponse?) -> String? {
        let contentType = response?.value(forHTTPHeaderField: "Content-Type")
        let start = Redaction.secrets.excerpt(ofBody: self, contentType: contentType, upTo: 200)
        guard let text = start?.onOneLine,
            text.contains(" ") || text.hasPrefix("<") || text.hasPrefix("{")
        else { return nil }
        return text.shortened(to: 60).withoutFullStop
    }
}

extension [any CodingKey] {
    /// The path as text, such as `dogs[0].name`.
    var place: String {
        guard !isEmpty else { return "the top level" }
        var (path, isSecret) = ("", false)
        for key in self {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.name(isSecret: isSecret)
                isSecret = isSecret || Redaction.hidesValue(named: key.stringValue)
            }
        }
        // A recursive type can produce hundreds of keys. The last ones are the most useful.
        return path.count > 120 ? "…\(path.suffix(120))" : path
    }
}

extension CodingKey {
    /// Returns the name of the key, unless it may be a secret.
    ///
    /// A dictionary's keys come from the body, an enumeration's keys from source code.
    fileprivate func name(isSecret: Bool) -> String {
        guard Mirror(reflecting: self).displayStyle != .enum else { return stringValue }
        guard !isSecret, stringValue.utf8.count <= 40 else { return Redaction.mask }
        return Redaction.secrets.masked(stringValue).onOneLine
    }
}
