import APIKit
import Foundation

/// Values with their names, by which requests, parts, origins and JSON texts are compared.
///
/// | Name | Values |
/// |---|---|
/// | `method`, `origin`, `host`, `port`, `header.accept`, `authorization.user` | one text |
/// | `path` | the decoded segments |
/// | `query.page`, `form.page`, `cookie.id` | the decoded items, in the order of their texts |
/// | `json.user.tags[0]` | a scalar of a JSON body |
/// | `json.user`, `json.user.tags` | `{}` for an object, and `[2]` for an array of two elements |
/// | `part.photo.filename`, `.type`, `.body` | one property of each part with this name |
/// | `query.filter.id`, `form.filter.id`, `part.filter.body.id` | a scalar of JSON in an item or a part |
/// | `body` | any other body, with its `Content-Encoding` if it has one |
///
/// A text is JSON if it is an object or an array, except in a body or a part of type `text/plain`. A
/// JSON member that repeats has all of its values.
struct NamedValues: Hashable, Sendable {
    enum Value: Hashable, Sendable {
        case text(ExactText)
        /// A number, `true`, `false`, `null`, or the kind of an object or array, of a JSON body.
        case literal(String)
        case bytes(Data)
    }

    var values: [ExactText: [Value]] = [:]

    mutating func add(_ name: String, _ text: String) {
        values[ExactText(name), default: []].append(.text(ExactText(text)))
    }

    mutating func formUnion(_ other: NamedValues) {
        for (name, list) in other.values { values[name, default: []] += list }
    }
}

extension NamedValues {
    /// Creates the values of query items or form fields.
    init(
        _ section: String, _ items: [URLQueryItem], ignoring ignored: Set<String> = [],
        besides others: Set<ExactText> = []
    ) {
        for item in items where !ignored.contains(item.name) {
            add("\(section).\(item.name)", item.value ?? "")
        }
        for name in others { values[name] = nil }
        for (name, list) in values where list.count > 1 {
            values[name] = list.sorted { $0.text < $1.text }
        }
        for name in values.keys.sorted() where section != "cookie" {
            readJSON(at: name.string, ignoring: ignored)
        }
    }

    /// Creates the values of a JSON text in UTF-8 (RFC 8259) with the name of the whole value, or
    /// returns `nil` for any other text.
    ///
    /// It lacks the members with the ignored names, at any depth.
    init?(json data: Data, at name: String = "json", ignoring ignored: Set<String> = []) {
        var values: [ExactText: [Value]] = [:]
        let isJSON = JSONScanner.scan(data, at: name, ignoring: ignored) { name, text, isString in
            let value: Value = isString ? .text(ExactText(text)) : .literal(text)
            values[ExactText(name), default: []].append(value)
        }
        guard isJSON else { return nil }
        self.init(values: values)
    }

    /// Creates the values of a request's body, without the ignored fields, parts, and JSON members at
    /// any depth.
    init(bodyOf request: RecordedRequest, ignoring ignored: Set<String> = []) {
        self.init()
        let body = request.body
        guard !body.isEmpty else { return }
        let (fields, parts) = (request.form, request.parts)
        if let coding = request.header("Content-Encoding")?.lowercased().asSingleValue,
            coding != "identity"
        {
            // On Linux, decoding most codings (RFC 9110, section 8.4) would need a dependency.
            values[ExactText("body in \(coding), compared byte by byte")] = [.bytes(body)]
        } else if !fields.isEmpty {
            self.init("form", fields, ignoring: ignored)
        } else if !parts.isEmpty {
            let names = Set(parts.flatMap { NamedValues($0).values.keys })
            for part in parts where !ignored.contains(part.name) {
                formUnion(NamedValues(part, besides: names))
            }
            for part in parts where part.contentType?.mediaType != "text/plain" {
                readJSON(at: "part.\(part.name).body", ignoring: ignored)
            }
        } else {
            values["body"] = [Value(body)]
            guard request.header("Content-Type")?.mediaType != "text/plain" else { return }
            readJSON(at: "body", as: "json", ignoring: ignored)
        }
    }

    /// Replaces the only text with a name by its values, if it is an object or an array of JSON.
    ///
    /// The texts of a repeated name stay, because their members would mix.
    private mutating func readJSON(
        at name: String, as root: String? = nil, ignoring ignored: Set<String>
    ) {
        guard let list = values[ExactText(name)], list.count == 1, case .text(let text) = list[0],
            let first = text.string.utf8.first(where: { !"\u{FEFF} \t\r\n".utf8.contains($0) }),
            "{[".utf8.contains(first),
            let json = NamedValues(
                json: Data(text.string.utf8), at: root ?? name, ignoring: ignored)
        else { return }
        values[ExactText(name)] = nil
        formUnion(json)
    }

    /// Creates the values of one part of a multipart body.
    ///
    /// If the part lacks a property whose name another part has, its value is `nothing`, so that the
    /// values of both have the same order.
    init(_ part: RecordedRequest.Part, besides names: Set<ExactText> = []) {
        values[ExactText("part.\(part.name).body")] = [Value(part.body)]
        for (property, text) in [("filename", part.fileName), ("type", part.contentType)] {
            let name = ExactText("part.\(part.name).\(property)")
            if let text {
                values[name] = [.text(ExactText(text))]
            } else if names.contains(name) {
                values[name] = [.literal("nothing")]
            }
        }
    }

    /// Creates the values of an origin, without a port that is the default of the scheme.
    init(originOf url: URL) {
        self.init()
        let port = url.port.flatMap { $0 == url.defaultPort ? nil : ":\($0)" } ?? ""
        let host = (url.host ?? "").asciiHost
        add("origin", "\(url.scheme?.lowercased() ?? "")://\(host)\(port)")
    }

    /// Returns the values with a name, with all elements in place of an array.
    func elements(at name: String) -> [Value] {
        let values = values[ExactText(name)] ?? []
        guard let count = values.elementCount, count > 0 else { return values }
        return (0..<count).flatMap { elements(at: "\(name)[\($0)]") }
    }

    /// Returns the request with only some names.
    func filter(_ isIncluded: (ExactText) -> Bool) -> NamedValues {
        NamedValues(values: values.filter { isIncluded($0.key) })
    }
}

extension NamedValues.Value {
    /// Creates the value of a body, as text if it is UTF-8.
    init(_ data: Data) {
        self = String(data: data, encoding: .utf8).map { .text(ExactText($0)) } ?? .bytes(data)
    }

    /// The text that a ``ValuePattern`` compares.
    var text: String {
        switch self {
        case .text(let text): text.string
        case .literal(let text): text
        case .bytes(let data): "\(data.count) bytes"
        }
    }

    var isText: Bool { if case .bytes = self { false } else { true } }

    /// The number of elements of an array, or `nil` for any other value.
    fileprivate var elementCount: Int? {
        guard case .literal(let text) = self, text.hasPrefix("[") else { return nil }
        return Int(text.dropFirst().dropLast()) ?? 0
    }

    var isContainer: Bool { self == .literal("{}") || elementCount != nil }
}

extension [NamedValues.Value] {
    /// The number of elements of the longest array, or `nil` if there is none.
    var elementCount: Int? { lazy.compactMap(\.elementCount).max() }
}

/// A text that equals only a text of the same bytes.
///
/// For `String`, é equals e with an accent after it. For a server, they differ (RFC 3986, section
/// 6.2.2, and RFC 8259, section 8.3).
struct ExactText: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
    let string: String

    init(_ string: String) { self.string = string }

    init(stringLiteral string: String) { self.string = string }

    static func == (first: ExactText, second: ExactText) -> Bool { first.order(to: second) == 0 }

    static func < (first: ExactText, second: ExactText) -> Bool { first.order(to: second) < 0 }

    /// Returns a negative number before a text, and zero for an equal text.
    private func order(to other: ExactText) -> Int {
        var (first, second) = (string, other.string)
        return first.withUTF8 { first in
            second.withUTF8 { second in
                guard let start = first.baseAddress, let other = second.baseAddress else {
                    return first.count - second.count
                }
                // The methods of sequences are slow in a debug build.
                let order = memcmp(start, other, min(first.count, second.count))
                return order == 0 ? first.count - second.count : Int(order)
            }
        }
    }

    /// Returns whether the text is the name of a member or an element below another name.
    func isBelow(_ name: String) -> Bool {
        guard string.hasPrefix(name), string.utf8.starts(with: name.utf8) else { return false }
        let next = string.utf8.dropFirst(name.utf8.count).first
        return next == UInt8(ascii: ".") || next == UInt8(ascii: "[")
    }
}
