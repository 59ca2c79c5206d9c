import APIKit
import Foundation

extension HAREntry {
    /// A place in a request or a response that can contain secrets.
    enum Place {
        case url, error
        case header(String)
        /// A body, with its content type.
        case body(String?, ofRequest: Bool)
    }

    /// Returns the new bytes of a text, or `nil` to keep the text.
    typealias Transform = (Place, [UInt8]) -> [UInt8]?

    /// Returns the entry with its texts transformed, first in the request and then in the response.
    func mapTexts(_ transform: Transform) -> HAREntry {
        var entry = self
        entry.request = request.mapTexts(transform)
        entry.response.headers = response.headers.mapTexts(transform)
        let type = response.headers.value(named: "Content-Type")
        entry.response.body = response.body.mapText { transform(.body(type, ofRequest: false), $0) }
        entry.response.error = response.error.map { $0.mapText { transform(.error, $0) } }
        return entry
    }
}

extension HAREntry.Request {
    fileprivate func mapTexts(_ transform: HAREntry.Transform) -> HAREntry.Request {
        var request = self
        request.url = url.mapText { transform(.url, $0) }
        request.headers = headers.mapTexts(transform)
        let type = headers.value(named: "Content-Type")
        request.body = body.mapText { transform(.body(type, ofRequest: true), $0) }
        return request
    }

    /// Returns the request with the text of each secret replaced.
    func redacted(by redaction: Redaction, substitute: (_ secret: String) -> String) -> Self {
        mapTexts { redaction.replacingSecrets(at: $0, $1) { substitute($0.text) } }
    }
}

extension [HAREntry.Field] {
    /// Transforms the values in the order of the names, so that the result is always the same.
    fileprivate func mapTexts(_ transform: HAREntry.Transform) -> Self {
        var headers = self
        let order = indices.sorted {
            (self[$0].name.lowercased(), $0) < (self[$1].name.lowercased(), $1)
        }
        for index in order {
            headers[index].value = self[index].value.mapText {
                transform(.header(self[index].name), $0)
            }
        }
        return headers
    }
}

extension Redaction {
    /// Returns the text of a place with its secrets replaced, or `nil` if it has none.
    func replacingSecrets(
        at place: HAREntry.Place, _ bytes: [UInt8], with replacement: (FoundSecret) -> String
    ) -> [UInt8]? {
        let search = SecretSearch(self)
        let secrets =
            switch place {
            case .url: search.secrets(inText: bytes)
            // In the text of an error, only secrets that were found elsewhere are replaced.
            case .error: [FoundSecret]()
            case .header(let name): search.secrets(inHeader: name, bytes)
            case .body(let type, let isRequest):
                SecretSearch(self, inRequestBody: isRequest)
                    .secrets(inBody: bytes, contentType: type)
            }
        return bytes.substituting(secrets, with: replacement)
    }
}
