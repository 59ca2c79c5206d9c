import APIKit
import Foundation

extension MockResponse {
    /// Returns the response on a connection, so that a session and the port give a client the same.
    ///
    /// The system decodes gzip and deflate for a session, and the client of a port does so itself. A body
    /// that has another form counts as decoded, as if it were copied from a decoded response. A body that
    /// arrives in chunks, and a part of a resource, stay.
    ///
    /// - Parameter decodes: Whether the client receives the decoded body.
    /// - Returns: The response.
    func received(decoding decodes: Bool) -> MockResponse {
        guard !isDecoded, status != 206, case .body(let body) = content, !body.isEmpty,
            let field = headers.first(where: { $0.key.lowercased() == "content-encoding" }),
            let coding = ["gzip", "x-gzip", "deflate"].first(where: {
                $0 == field.value.lowercased()
            })
        else { return self }
        var response = self
        let bytes = Array(body)
        if !Inflater.recognizes(bytes, in: coding) {
            if !decodes { response.headers[field.key] = nil }
        } else if decodes {
            do {
                response.content = .body(Data(try Inflater.content(of: bytes, in: coding)))
            } catch {
                response.content = .failure { URLError(.cannotDecodeContentData, failing: $0) }
            }
        }
        return response
    }
}
