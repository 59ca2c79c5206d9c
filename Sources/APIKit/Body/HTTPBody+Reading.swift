import Foundation

extension HTTPBody {
    /// Returns the size of the body in bytes, without reading files.
    ///
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/file(_:)`` for a file that cannot be read,
    ///   or of kind ``APIError/Kind/invalidRequest(_:)`` for a body that cannot be sent.
    public func length() throws -> Int {
        switch source {
        case .data(let data): data.count
        case .file(let url): try FileReader(url).size
        case .form(let form): try form.length()
        }
    }

    /// Returns the whole body in memory, including its files.
    ///
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/file(_:)`` for a file that cannot be read,
    ///   or of kind ``APIError/Kind/invalidRequest(_:)`` for a body that cannot be sent.
    public func data() throws -> Data {
        var body = Data()
        switch source {
        case .data(let data): body = data
        case .file(let url): try FileReader(url).forEachPiece { body.append($0) }
        case .form(let form): try form.forEachPiece { body.append($0) }
        }
        return body
    }

    /// Returns a source that a transport can upload without loading files into memory.
    ///
    /// It copies a form with files to a temporary file, and blocks the thread until the copy is
    /// complete.
    ///
    /// - Parameters:
    ///   - directory: The directory of the temporary file.
    ///   - checkCancellation: Called before each piece of a form. Throw an error to end the copy.
    /// - Returns: Bytes, or a file that is readable.
    /// - Throws: The errors of ``data()``, or an ``APIError`` that names the temporary file.
    package func uploadSource(
        in directory: URL = FileManager.default.temporaryDirectory,
        checkCancellation: () throws -> Void = {}
    ) throws -> UploadSource {
        switch source {
        case .file(let url):
            _ = try FileReader(url)
            return .file(url)
        case .form(let form) where form.hasFiles:
            let file = try TemporaryFile(in: directory) { write in
                try form.forEachPiece { piece in
                    try checkCancellation()
                    try write(piece)
                }
            }
            return .temporary(file)
        case .data, .form:
            return .data(try data())
        }
    }
}
