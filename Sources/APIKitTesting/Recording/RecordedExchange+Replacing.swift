import APIKit
import Foundation

extension RecordedExchange {
    enum Message { case request, response }

    /// The place of a text that can contain secrets.
    enum Place {
        case url, error
        case field(String, Message)
        case body(type: String?, Message)

        var message: Message {
            switch self {
            case .url: .request
            case .error: .response
            case .field(_, let message), .body(_, let message): message
            }
        }

        /// Whether a secret here is searched in the whole exchange.
        var holdsCredentials: Bool {
            switch self {
            case .url: true
            case .field(let name, .request): Redaction.hidesHeader(name)
            default: false
            }
        }

        /// The name of the place, for a person.
        var name: String {
            switch self {
            case .url: "URL"
            case .error: "error"
            case .field(let name, let message): "\(message) header field \(name)"
            case .body(_, let message): "\(message) body"
            }
        }

        var kind: Redaction.TextKind {
            switch self {
            case .url, .error: .any
            case .field(let name, _): .header(named: name)
            case .body(let type, _): .body(contentType: type)
            }
        }
    }

    /// Replaces the texts of both messages, in the order of the file.
    mutating func replaceTexts(with replacement: (Place, [UInt8]) -> [UInt8]) {
        func text(_ text: String, at place: Place) -> String {
            String(decoding: replacement(place, Array(text.utf8)), as: UTF8.self)
        }
        func content(
            _ fields: [HeaderField], _ old: Data, of message: Message
        ) -> (fields: [HeaderField], body: Data) {
            let type = fields.value(named: "Content-Type")
            var fields = fields.map { field in
                let value = text(field.value, at: .field(field.name, message))
                return HeaderField(name: field.name, value: value)
            }
            let new = Data(replacement(.body(type: type, message), Array(old)))
            fields.setLength(of: new, insteadOf: old)
            return (fields, new)
        }
        // A placeholder has only characters of a URL.
        let url = URL(string: text(request.url.absoluteString, at: .url))
        let new = content(request.fields, request.body, of: .request)
        request = request.with(
            url ?? URL(filePath: "/\(Redaction.mask)"), fields: new.fields, body: new.body)
        response.error = response.error.map { text($0, at: .error) }
        (response.fields, response.body) = content(response.fields, response.body, of: .response)
    }

    /// The texts of both messages.
    var texts: [(place: Place, bytes: [UInt8])] {
        var (exchange, texts) = (self, [(place: Place, bytes: [UInt8])]())
        exchange.replaceTexts { place, text in
            // Without its zero bytes, UTF-16 can be searched like ASCII.
            texts.append((place, text.filter { $0 != 0 }))
            return text
        }
        return texts
    }
}

extension ByteStrings {
    /// Returns a text of an exchange with the values in place of the texts, but no changed media type
    /// or binary body.
    func replacing(in bytes: [UInt8], at place: RecordedExchange.Place) -> [UInt8] {
        switch place {
        case .field(let name, _) where name.lowercased() == "content-type": bytes
        case .body where isEmpty || String(bytes: bytes, encoding: .utf8) == nil: bytes
        default: replacing(in: bytes)
        }
    }
}
