import APIKit
import Foundation

extension HAREntry.Request {
    /// Returns the request with each secret replaced.
    ///
    /// - Parameters:
    ///   - redaction: The rule that selects the secrets.
    ///   - substitute: Returns the text in place of a secret.
    /// - Returns: The request without secrets.
    func redacted(
        by redaction: Redaction, substitute: (_ secret: String) -> String
    ) -> HAREntry.Request {
        withoutActuallyEscaping(substitute) {
            redacted(by: SecretSearch(recording: redaction, substitute: $0))
        }
    }

    func redacted(by search: SecretSearch) -> HAREntry.Request {
        var request = self
        request.url = search.redacted(url) { search.edits(inReferences: $0, of: $1) }
        request.headers = search.redacted(headers)
        request.body = search.redacted(body, headers)
        return request
    }
}

extension HAREntry.Response {
    /// Returns the response with each secret replaced.
    ///
    /// - Parameters:
    ///   - redaction: The rule that selects the secrets.
    ///   - substitute: Returns the text in place of a secret.
    /// - Returns: The response without secrets.
    func redacted(
        by redaction: Redaction, substitute: (_ secret: String) -> String
    ) -> HAREntry.Response {
        withoutActuallyEscaping(substitute) {
            redacted(by: SecretSearch(recording: redaction, substitute: $0))
        }
    }

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
        let bytes = Array(body)
        let type = headers.first { $0.name.lowercased() == "content-type" }?.value
        let edits = edits(inBody: 0..<bytes.count, of: bytes, contentType: type)
        return edits.isEmpty ? body : Data(edits.applied(to: bytes))
    }
}
