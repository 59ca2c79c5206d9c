import Foundation

/// The body of a request, with its content type.
///
/// A body stores only the URLs of its files. An upload reads the files for each attempt, so keep
/// them until the call completes.
public struct HTTPBody: Sendable {
    /// The content type, as sent.
    public let contentType: String

    let source: Source

    enum Source {
        case data(Data)
        case file(URL)
        case form(MultipartForm)
    }

    /// A body of form fields, encoded as in a browser.
    public static func form(_ items: QueryItems) -> HTTPBody {
        .data(Data(items.form.utf8), contentType: "application/x-www-form-urlencoded")
    }

    /// A body of bytes.
    public static func data(
        _ data: Data,
        contentType: String = "application/octet-stream"
    ) -> HTTPBody {
        HTTPBody(contentType: contentType, source: .data(data))
    }

    /// A body of the content of a file.
    public static func file(
        _ url: URL,
        contentType: String = "application/octet-stream"
    ) -> HTTPBody {
        HTTPBody(contentType: contentType, source: .file(url))
    }

    /// A body of a form that can contain files, encoded as in a browser.
    public static func multipart(_ form: MultipartForm) -> HTTPBody {
        HTTPBody(contentType: form.contentType, source: .form(form))
    }
}
