import APIKit
import Foundation

extension RequestKey {
    /// A component, or a part of a URL.
    struct Field: Equatable {
        /// What the texts of a field are.
        enum Form: String {
            case value, segments, items
            case noBody = "no body"
            case json = "JSON"
            case form = "a form"
            case multipart = "a multipart form"
            case bytes = "a body that is neither JSON nor a form"
        }

        struct Item: Hashable {
            var name: KeyText?
            var value: KeyText
        }

        let subject: String
        let form: Form
        /// The values in order, or the named values in a canonical order.
        let items: [Item]
    }
}

extension RequestKey.Field {
    /// Creates a field of values without names.
    private init(
        _ subject: String, _ values: [Data], as form: Form = .value, isRecorded: Bool
    ) {
        self.init(
            subject: subject, form: form,
            items: values.map { Item(value: KeyText($0, isRecorded: isRecorded)) })
    }

    /// Creates a field of named values in any order.
    private init(
        _ subject: String, named values: [(String, String)], as form: Form, isRecorded: Bool
    ) {
        func text(_ text: String) -> KeyText { KeyText(Data(text.utf8), isRecorded: isRecorded) }
        self.init(
            subject: subject, form: form,
            items: values.sorted { $0 < $1 }.map { Item(name: text($0), value: text($1)) })
    }

    /// Returns the fields for a component of a request.
    static func fields(
        _ component: Cassette.Component, of request: HAREntry.Request, isRecorded: Bool
    ) -> [Self] {
        func field(_ subject: String, _ values: [String], as form: Form = .value) -> Self {
            Self(subject, values.map { Data($0.utf8) }, as: form, isRecorded: isRecorded)
        }
        let url = URL(string: request.url)
        func path() -> Self {
            let path = url?.path(percentEncoded: true) ?? request.url
            return field("path", RecordedRequest.segments(of: path), as: .segments)
        }
        func query() -> Self {
            let items = url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }?
                .queryItems
            return Self("query", named: items?.pairs ?? [], as: .items, isRecorded: isRecorded)
        }
        switch component.kind {
        case .method:
            return [field("method", [request.method.uppercased()])]
        case .url:
            let scheme = url?.scheme.map { "\($0.lowercased())://" } ?? ""
            return [field("origin", [scheme + (url?.authority ?? "")]), path(), query()]
        case .host:
            return [field("host", [url?.authority ?? ""])]
        case .path:
            return [path()]
        case .query:
            return [query()]
        case .header(let name):
            return [field("header \(name)", request.headers.value(named: name).map { [$0] } ?? [])]
        case .body:
            return [body(of: request, isRecorded: isRecorded)]
        }
    }

    /// Returns the field for the body, which its content type describes.
    private static func body(of request: HAREntry.Request, isRecorded: Bool) -> Self {
        let body = request.body
        let contentType = request.headers.value(named: "Content-Type")
        let type = contentType?.mediaType
        func field(_ values: [(String, String)], as form: Form) -> Self {
            Self("body", named: values, as: form, isRecorded: isRecorded)
        }
        if body.isEmpty { return Self("body", [], as: .noBody, isRecorded: isRecorded) }
        if type == "application/x-www-form-urlencoded" {
            let fields = RecordedRequest.fields(ofForm: String(decoding: body, as: UTF8.self))
            return field(fields.pairs, as: .form)
        }
        if type?.hasSuffix("json") ?? true, let json = try? HTTPBody.JSON(body) {
            return field(json.leaves, as: .json)
        }
        let parts = RecordedRequest.Part.parts(of: body, contentType: contentType ?? "")
        guard type?.hasPrefix("multipart/") == true, !parts.isEmpty else {
            return Self("body", [body], as: .bytes, isRecorded: isRecorded)
        }
        let items = parts.enumerated().map { index, part in
            Item(
                name: KeyText(Data(part.label(index).utf8), isRecorded: isRecorded),
                value: KeyText(part.body, isRecorded: isRecorded))
        }
        return Self(subject: "body", form: .multipart, items: items)
    }
}

extension RequestKey.Field {
    /// Appends a text that no other field has.
    func write(to text: inout [UInt8]) {
        text += "\(subject):\(form.rawValue):\(items.count):".utf8
        for item in items {
            item.name?.write(to: &text)
            item.value.write(to: &text)
        }
    }
}

extension [URLQueryItem] {
    fileprivate var pairs: [(String, String)] { map { ($0.name, $0.value ?? "") } }
}

extension HTTPBody.JSON {
    /// The scalars and the empty arrays and objects with their places, such as `items[0].id`.
    fileprivate var leaves: [(String, String)] {
        var leaves: [(String, String)] = []
        addLeaves(at: "", to: &leaves)
        return leaves
    }

    private func addLeaves(at place: String, to leaves: inout [(String, String)]) {
        switch self {
        case .null: leaves.append((place, "null"))
        case .bool(let value): leaves.append((place, "\(value)"))
        case .number(let value): leaves.append((place, "\(value)"))
        case .extremeNumber(let value): leaves.append((place, "\(value)"))
        case .string(let value): leaves.append((place, "\"\(value)\""))
        case .array(let values):
            if values.isEmpty { leaves.append((place, "[]")) }
            for (index, value) in values.enumerated() {
                value.addLeaves(at: "\(place)[\(index)]", to: &leaves)
            }
        case .object(let members):
            if members.isEmpty { leaves.append((place, "{}")) }
            for (name, value) in members {
                // Quotes keep the place of an unusual name distinct from that of nested names.
                let isPlain = !name.isEmpty && !name.utf8.contains { ".[]\"".utf8.contains($0) }
                let step = isPlain ? name : name.debugDescription
                value.addLeaves(at: place.isEmpty ? step : "\(place).\(step)", to: &leaves)
            }
        }
    }
}

extension RecordedRequest.Part {
    /// The position, the name, the file name and the content type.
    fileprivate func label(_ index: Int) -> String {
        let details = [
            "part \(index + 1) \(name)", fileName.map { "file name \($0)" }, contentType,
        ]
        return details.compactMap { $0 }.joined(separator: ", ")
    }
}

extension URL {
    /// The host in lower case and in ASCII, and the port unless it is the default one.
    fileprivate var authority: String {
        let standard = ["http": 80, "https": 443][scheme?.lowercased() ?? ""]
        let port = port.flatMap { $0 == standard ? nil : ":\($0)" } ?? ""
        return Punycode.host(host ?? "") + port
    }
}
