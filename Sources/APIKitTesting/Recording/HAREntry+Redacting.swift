import APIKit
import Foundation

/// A part of a recording, or a whole one.
protocol Redactable {
    /// Returns the part with each secret that a search finds replaced.
    func redacted(by search: SecretSearch) -> Self
}

extension Redactable {
    /// Returns the part with each secret replaced.
    ///
    /// - Parameters:
    ///   - redaction: The rule that selects the secrets.
    ///   - substitute: Returns the text in place of a secret.
    /// - Returns: The part without secrets.
    func redacted(by redaction: Redaction, substitute: (_ secret: String) -> String) -> Self {
        withoutActuallyEscaping(substitute) {
            redacted(by: SecretSearch(recording: redaction, substitute: $0))
        }
    }
}

extension [HAREntry]: Redactable {
    func redacted(by search: SecretSearch) -> [HAREntry] {
        map { entry in
            var entry = entry
            entry.request = entry.request.redacted(by: search)
            entry.response = entry.response.redacted(by: search)
            return entry
        }
    }
}

extension HAREntry.Request: Redactable {
    func redacted(by search: SecretSearch) -> HAREntry.Request {
        var request = self
        request.url = search.redacted(url) { search.edits(inReferences: $0, of: $1) }
        request.headers = search.redacted(headers)
        request.body = search.redacted(body, headers)
        return request
    }
}

extension HAREntry.Response: Redactable {
    func redacted(by search: SecretSearch) -> HAREntry.Response {
        var response = self
        response.headers = search.redacted(headers)
        response.body = search.redacted(body, headers)
        return response
    }
}

extension SecretSearch {
    fileprivate func redacted(
        _ text: String, _ edits: (Range<Int>, [UInt8]) -> [TextEdit]
    ) -> String {
        let bytes = Array(text.utf8)
        let edits = edits(0..<bytes.count, bytes)
        return edits.isEmpty ? text : String(decoding: edits.applied(to: bytes), as: UTF8.self)
    }

    /// Replaces the secrets in the order of the names, which does not depend on a dictionary.
    fileprivate func redacted(_ headers: [HAREntry.Field]) -> [HAREntry.Field] {
        var headers = headers
        let order = headers.indices.sorted {
            (headers[$0].name.lowercased(), $0) < (headers[$1].name.lowercased(), $1)
        }
        for index in order {
            headers[index].value = redacted(headers[index].value) {
                edits(inHeader: headers[index].name, of: $1)
            }
        }
        return headers
    }

    fileprivate func redacted(_ body: Data, _ headers: [HAREntry.Field]) -> Data {
        guard redaction.hidesAnything, !body.isEmpty else { return body }
        let type = headers.value(named: "Content-Type")
        return body.mapText { bytes in
            let edits = edits(inBody: 0..<bytes.count, of: bytes, contentType: type)
            return edits.isEmpty ? nil : edits.applied(to: bytes)
        }
    }
}

extension Data {
    /// Transforms the bytes, or the UTF-8 of a text in UTF-16, unless the result is `nil`.
    func mapText(_ transform: ([UInt8]) -> [UInt8]?) -> Data {
        guard let (text, encoding) = utf16Text else {
            return transform(Array(self)).map { Data($0) } ?? self
        }
        return transform(Array(text.utf8)).flatMap {
            String(decoding: $0, as: UTF8.self).data(using: encoding)
        } ?? self
    }

    /// The text of UTF-16, whose start shows the order of the bytes (RFC 4627, section 3).
    private var utf16Text: (String, String.Encoding)? {
        let encoding: String.Encoding
        switch (first ?? 0, dropFirst().first ?? 0) {
        case (0xFF, 0xFE), (1..., 0): encoding = .utf16LittleEndian
        case (0xFE, 0xFF), (0, 1...): encoding = .utf16BigEndian
        default: return nil
        }
        // Other bytes must stay the same.
        guard count > 1, let text = String(data: self, encoding: encoding),
            text.data(using: encoding) == self
        else { return nil }
        return (text, encoding)
    }
}
