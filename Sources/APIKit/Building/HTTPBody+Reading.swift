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
        }
        return body
    }
}
