import Foundation

extension HTTPBody {
    /// Returns the size of the body in bytes, for which no file is read.
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

    /// Returns the whole body in memory, files included.
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

    /// Returns what a transport can upload without having a file in memory.
    ///
    /// A form with files is copied to a temporary file, which blocks for as long as that takes.
    ///
    /// - Parameters:
    ///   - directory: The directory of the temporary file.
    ///   - checkCancellation: Called now and then while a form is copied, to end that by throwing.
    /// - Returns: Bytes, or a file that could be read just now.
    /// - Throws: An ``APIError`` as ``data()`` does, or one that names the temporary file.
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
