import Foundation

/// The body of a request, together with its content type.
public struct HTTPBody: Sendable {
    let data: Data
    let contentType: String

    /// A body of a value encoded as JSON.
    ///
    /// - Throws: The error of the encoder.
    public static func json(
        _ value: some Encodable,
        encoder: JSONEncoder = JSONEncoder()
    ) throws -> HTTPBody {
        HTTPBody(data: try encoder.encode(value), contentType: "application/json")
    }

    /// A body of the fields of a form, encoded as a browser would.
    public static func form(_ items: QueryItems) -> HTTPBody {
        HTTPBody(data: Data(items.form.utf8), contentType: "application/x-www-form-urlencoded")
    }

    /// A body of bytes.
    public static func data(
        _ data: Data,
        contentType: String = "application/octet-stream"
    ) -> HTTPBody {
        HTTPBody(data: data, contentType: contentType)
    }
}
