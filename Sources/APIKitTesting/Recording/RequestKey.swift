import APIKit
import Foundation

/// The components of a request that decide whether an entry matches it, with their secrets masked.
struct RequestKey: Hashable, Sendable {
    private let fields: [Field]
    /// All fields as one text, because a lookup among many keys compares and hashes it.
    private let text: [UInt8]

    /// Creates the key of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - cassette: The cassette, which selects the components and the secrets.
    ///   - isRecorded: Whether a placeholder in the request stands for any text.
    init(_ request: HAREntry.Request, of cassette: Cassette, isRecorded: Bool = false) {
        self.init(masked: request.masked(for: cassette), of: cassette, isRecorded: isRecorded)
    }

    /// Creates the key of a request whose secrets are masked.
    init(masked request: HAREntry.Request, of cassette: Cassette, isRecorded: Bool) {
        var subjects: Set<String> = []
        self.init(
            cassette.components
                .flatMap { Field.fields($0, of: request, isRecorded: isRecorded) }
                .filter { subjects.insert($0.subject).inserted })
    }

    private init(_ fields: [Field]) {
        self.fields = fields
        var text: [UInt8] = []
        for field in fields { field.write(to: &text) }
        self.text = text
    }

    static func == (first: RequestKey, second: RequestKey) -> Bool { first.text == second.text }

    func hash(into hasher: inout Hasher) {
        text.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// Whether the key matches other keys than itself.
    var isOpen: Bool {
        fields.contains(where: \.isOpen)
    }

    /// Whether the key has a method.
    var hasMethod: Bool { fields.contains { $0.subject == "method" } }

    /// The key without the method, and without the path unless that has a placeholder.
    var withoutMethodAndPath: RequestKey {
        RequestKey(
            fields.filter { $0.subject != "method" && ($0.form != .segments || $0.isOpen) })
    }

    /// The segments of the path, with `nil` for one with a placeholder or a mask, if the key has a
    /// path.
    var pathSegments: [String?]? {
        fields.first { $0.form == .segments }.map { field in
            field.items.map {
                $0.value.isOpen || $0.value.shown.contains(Redaction.mask) ? nil : $0.value.shown
            }
        }
    }

    /// Returns whether the key of a recorded request matches that of another request.
    func accepts(_ other: RequestKey) -> Bool {
        self == other
            || fields.allSatisfy { field in
                other.field(of: field).map(field.accepts) ?? false
            }
    }

    /// Adds a line for each difference from the key of a request, with secrets masked.
    func addDifferences(from other: RequestKey, to list: inout LimitedList) {
        for field in fields {
            guard let got = other.field(of: field), !field.accepts(got) else { continue }
            field.addDifferences(from: got, to: &list)
        }
    }

    /// Returns the field for the same component as a field of another key.
    private func field(of other: Field) -> Field? {
        fields.first { $0.subject == other.subject }
    }
}

extension HAREntry.Request {
    /// Creates the request of an entry from a request that a server received.
    init(_ request: RecordedRequest) {
        self.init(
            method: request.method.rawValue, url: request.url.absoluteString,
            headers: request.headers.map { HAREntry.Field(name: $0.key, value: $0.value) }
                .sorted { ($0.name, $0.value) < ($1.name, $1.value) },
            body: request.body)
    }

    /// Returns the request as a recording has it, with the secrets of a cassette masked.
    func masked(for cassette: Cassette) -> HAREntry.Request {
        normalized.redacted(by: cassette.redaction) { _ in Redaction.mask }
    }
}

extension RecordedRequest {
    /// Returns the request with the secrets of a cassette masked, for a failure.
    func masked(for cassette: Cassette) -> RecordedRequest {
        let masked = HAREntry.Request(self).redacted(by: cassette.redaction) { _ in
            Redaction.mask
        }
        var request = RecordedRequest(
            urlRequest, url: URL(string: masked.url) ?? url, body: masked.body)
        request.redirectSource = redirectSource.map(cassette.redaction.text(ofValue:))
        return request
    }
}
