import APIKit
import Foundation

extension RecordedExchange {
    /// The texts that can contain secrets, with the names of their places.
    var parts: [(name: String, bytes: [UInt8])] {
        func fields(_ fields: [HeaderField], of message: String) -> [(String, [UInt8])] {
            fields.map { ("\(message) header field \($0.name)", Array($0.value.utf8)) }
        }
        // Without its zero bytes, UTF-16 can be searched like ASCII.
        return [("URL", Array(request.url.absoluteString.utf8))]
            + fields(request.fields, of: "request")
            + [("request body", request.body.filter { $0 != 0 })]
            + fields(response.fields, of: "response")
            + [("error", Array((response.error ?? "").utf8))]
            + [("response body", response.body.filter { $0 != 0 })]
    }

    enum Message { case request, response }

    /// Replaces the secrets that a rule finds.
    mutating func redact(
        _ messages: [Message], by redaction: Redaction, with replacement: Redaction.Replacement
    ) {
        replaceTexts(of: messages) {
            redaction.replacingSecrets(in: $0, with: replacement)
        } field: {
            redaction.replacingSecrets(inHeader: $0.name, $0.value, with: replacement)
        } body: {
            redaction.replacingSecrets(inBody: $0, contentType: $1, with: replacement)
        }
    }

    /// Replaces further occurrences of secrets, apart from media types and binary bodies.
    mutating func replace(
        _ secrets: ByteStrings, in messages: [Message] = [.request, .response]
    ) {
        if secrets.isEmpty { return }
        replaceTexts(of: messages) {
            secrets.replacing(in: $0)
        } field: {
            $0.name.lowercased() == "content-type" ? $0.value : secrets.replacing(in: $0.value)
        } body: { body, _ in
            body.utf8Text == nil ? body : Data(secrets.replacing(in: Array(body)))
        }
    }

    /// Replaces the texts of messages, in the order of the file.
    private mutating func replaceTexts(
        of messages: [Message], _ text: (String) -> String, field: (HeaderField) -> String,
        body: (Data, _ type: String?) -> Data
    ) {
        func replaced(_ fields: [HeaderField], _ old: Data) -> ([HeaderField], Data) {
            let type = fields.value(named: "Content-Type")
            var fields = fields.map { HeaderField(name: $0.name, value: field($0)) }
            let new = body(old, type)
            fields.setLength(of: new, insteadOf: old)
            return (fields, new)
        }
        if messages.contains(.request) {
            // A placeholder has only characters of a URL.
            let url = URL(string: text(request.url.absoluteString))
            let message = replaced(request.fields, request.body)
            request = request.with(
                url ?? URL(filePath: "/\(Redaction.mask)"), fields: message.0, body: message.1)
        }
        if messages.contains(.response) {
            response.error = response.error.map(text)
            (response.fields, response.body) = replaced(response.fields, response.body)
        }
    }
}
