import FlyingFox
import Foundation

extension HTTPResponse {
    /// An answer of text.
    static func text(
        _ text: String,
        status: Int = 200,
        headers: [String: String] = [:]
    ) -> HTTPResponse {
        var fields = HTTPHeaders()
        for (name, value) in headers { fields.addValue(value, for: HTTPHeader(name)) }
        return HTTPResponse(
            statusCode: HTTPStatusCode(status, phrase: "Status"), headers: fields,
            body: Data(text.utf8))
    }

    /// An answer that sends the client elsewhere.
    static func redirect(
        _ status: Int = 302,
        to location: String,
        headers: [String: String] = [:]
    ) -> HTTPResponse {
        text("moved", status: status, headers: headers.merging(["Location": location]) { $1 })
    }

    /// No answer until the client or the server has gone.
    static var never: HTTPResponse {
        get async throws {
            let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
            for await _ in stream {}
            continuation.finish()
            throw CancellationError()
        }
    }
}
