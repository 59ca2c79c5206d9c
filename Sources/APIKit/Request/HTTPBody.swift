import Foundation

/// The body of a request, with its content type.
///
/// A body stores only the URLs of its files. An upload reads the files for each attempt, so keep
/// them until the call completes.
public struct HTTPBody: Sendable {
    /// The content type, as sent.
    public let contentType: String

    /// The bytes and the files of the body, in order, or the reason why it cannot be sent.
    let pieces: Result<[Piece], any Error>

    /// Returns the next chunk, or `nil` at the end.
    package typealias Reader = @Sendable () async throws -> Data?

    /// Opens a body that can be read only once, and its length if it is known.
    package var oneTime: (open: @Sendable () throws -> Reader, length: Int?)?

    /// Bytes or a file, which is the whole body or a piece of a form.
    package enum Piece: Sendable {
        case data(Data)
        case file(URL)

        /// Returns the size in bytes, without reading a file.
        ///
        /// Throws for a file with content that states no size, such as a file of procfs. A transport
        /// that sends as many bytes would send none.
        func length() throws -> Int {
            switch self {
            case .data(let data): return data.count
            case .file(let url):
                let file = try FileReader(url)
                guard try file.size > 0 || file.nextPiece(upTo: 1).isEmpty else {
                    throw APIError(unreadable: url, "it states no size. Upload a copy of it")
                }
                return file.size
            }
        }
    }

    /// A body of form fields, encoded as in a browser.
    ///
    /// A space becomes `+`. Brackets and other delimiters are percent-encoded: `tags[]` becomes
    /// `tags%5B%5D`.
    public static func form(_ items: QueryItems) -> HTTPBody {
        .data(Data(items.form.utf8), contentType: "application/x-www-form-urlencoded")
    }

    /// A body of bytes.
    public static func data(
        _ data: Data,
        contentType: String = "application/octet-stream"
    ) -> HTTPBody {
        HTTPBody(contentType: contentType, pieces: .success([.data(data)]))
    }

    /// A body with the content of a file.
    public static func file(
        _ url: URL,
        contentType: String = "application/octet-stream"
    ) -> HTTPBody {
        HTTPBody(contentType: contentType, pieces: .success([.file(url)]))
    }

    /// A body of a form that can contain files, encoded as in a browser.
    public static func multipart(_ form: MultipartForm) -> HTTPBody {
        HTTPBody(contentType: form.contentType, pieces: Result { try form.pieces() })
    }
}

extension HTTPBody {
    /// Whether the body can be read again, unlike a ``stream(_:length:contentType:)``.
    public var isRepeatable: Bool { oneTime == nil }

    /// Returns the size of the body in bytes, without reading files.
    ///
    /// A file may grow before it is sent. ``chunks()`` also returns the length that it sends.
    ///
    /// - Returns: The size, or `nil` for a ``stream(_:length:contentType:)`` of unknown length.
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/file(_:)`` for a file that cannot be read,
    ///   or of kind ``APIError/Kind/invalidRequest(_:)`` for a body that cannot be sent.
    public func length() throws -> Int? {
        if let oneTime { return oneTime.length }
        return try pieces.get().map { try $0.length() }.sum()
    }

    /// The file that is the whole body, if there is one.
    var file: URL? {
        guard let pieces = try? pieces.get(), pieces.count == 1, case .file(let url) = pieces[0]
        else { return nil }
        return url
    }

    /// Returns the whole body in memory, including its files.
    ///
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/file(_:)`` for a file that cannot be read,
    ///   or of kind ``APIError/Kind/invalidRequest(_:)`` for a body that cannot be sent, and for a
    ///   ``stream(_:length:contentType:)``.
    public func data() throws -> Data {
        let pieces = try pieces.get()
        if pieces.count == 1, case .data(let data) = pieces[0] { return data }
        var body = Data()
        try forEachPiece { body.append($0) }
        return body
    }

    /// Calls a closure with each piece of the body, at most `size` bytes of a file.
    ///
    /// File sizes may have changed since ``length()``.
    package func forEachPiece(upTo size: Int = 65_536, _ body: (Data) throws -> Void) throws {
        for piece in try pieces.get() {
            switch piece {
            case .data(let data): try body(data)
            case .file(let url): try FileReader(url).forEachPiece(upTo: size, body)
            }
        }
    }

    /// Returns a source that a transport can upload without loading files into memory.
    ///
    /// It copies a form with files to a temporary file, and blocks the thread until the copy is
    /// complete.
    ///
    /// - Parameters:
    ///   - directory: The directory of the temporary file.
    ///   - checkCancellation: Called before each piece of a form. Throw an error to end the copy.
    /// - Returns: Bytes, or a file that is readable, and the temporary file if it is one.
    /// - Throws: The errors of ``data()``, or an ``APIError`` that names the temporary file.
    package func uploadSource(
        in directory: URL = FileManager.default.temporaryDirectory,
        checkCancellation: () throws -> Void = {}
    ) throws -> (Piece, copy: TemporaryFile?) {
        if let file {
            _ = try FileReader(file)
            return (.file(file), nil)
        }
        let hasFiles = try pieces.get().contains { if case .file = $0 { true } else { false } }
        guard hasFiles else { return (.data(try data()), nil) }
        let (url, handle) = try directory.newTemporaryFile()
        let copy = TemporaryFile(url: url)
        try forEachPiece { piece in
            try checkCancellation()
            try url.naming { try handle.write(contentsOf: piece) }
        }
        return (.file(url), copy)
    }
}

extension APIError {
    /// Creates the error for a file that has become shorter than the announced length.
    init(shortened url: URL) {
        self.init(unreadable: url, "it became shorter during the upload")
    }
}

/// A file that is deleted when its last reference is released.
package final class TemporaryFile: Sendable {
    package let url: URL

    fileprivate init(url: URL) {
        self.url = url
    }

    deinit {
        // No caller can receive an error here, and the system clears its temporary directory.
        try? url.removeName()
    }
}
