import APIKit
import Foundation

extension RecordedExchange {
    enum Message { case request, response }

    /// The place of a text that can contain secrets.
    struct Place {
        let message: Message
        /// What the text is; of any kind are only the URL of a request and the error of a response.
        let kind: Redaction.TextKind

        /// The name of the place, for a person.
        var name: String {
            switch kind {
            case .header(let name): "\(message) header field \(name)"
            case .body: "\(message) body"
            default: message == .request ? "URL" : "error"
            }
        }
    }

    /// Replaces the texts of both messages, in the order of the file.
    mutating func replaceTexts(with replacement: (Place, [UInt8]) -> [UInt8]) {
        func replaced(_ text: String, at place: Place) -> String {
            String(decoding: replacement(place, Array(text.utf8)), as: UTF8.self)
        }
        func content(
            _ fields: [HeaderField], _ old: Data, of message: Message
        ) -> (fields: [HeaderField], body: Data) {
            let body = Redaction.TextKind.body(contentType: fields.value(named: "Content-Type"))
            var fields = fields
            for (index, field) in fields.enumerated() {
                let place = Place(message: message, kind: .header(named: field.name))
                fields[index].value = replaced(field.value, at: place)
            }
            let new = Data(replacement(Place(message: message, kind: body), Array(old)))
            fields.setLength(of: new, insteadOf: old)
            return (fields, new)
        }
        let place = Place(message: .request, kind: .any)
        // A placeholder has only characters of a URL.
        let url = URL(string: replaced(request.url.absoluteString, at: place))
        let new = content(request.fields, request.body, of: .request)
        request = request.with(
            url ?? URL(filePath: "/\(Redaction.mask)"), fields: new.fields, body: new.body)
        response.error = response.error.map {
            replaced($0, at: Place(message: .response, kind: .any))
        }
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
        switch place.kind {
        case .header(let name) where name.lowercased() == "content-type": bytes
        case .body where isEmpty || String(bytes: bytes, encoding: .utf8) == nil: bytes
        default: replacing(in: bytes)
        }
    }
}
