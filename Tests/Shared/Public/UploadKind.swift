import APIKit
import Foundation

/// The kinds of bodies that a client can upload.
enum UploadKind: CaseIterable {
    case data, noData, file, emptyFile, form

    /// Makes a body whose files are in a directory.
    func body(in directory: TemporaryDirectory, of size: Int = 300_000) throws -> HTTPBody {
        // The period of the text differs from every common block size.
        let text = String(repeating: "0123456789abcdefghijklm", count: size / 23)
        let content = Data(text.utf8)
        return switch self {
        case .data: .data(content, contentType: "image/png")
        case .noData: .data(Data(), contentType: "image/png")
        case .file: .file(try directory.file("photo.png", content), contentType: "image/png")
        case .emptyFile: .file(try directory.file("empty", Data()))
        case .form:
            .multipart([
                "name": .text("Ada"), "photo": .file(try directory.file("photo.png", content)),
            ])
        }
    }
}
