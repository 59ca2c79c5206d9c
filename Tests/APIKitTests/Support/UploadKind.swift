import APIKit
import Foundation

/// The kinds of bodies that there are to upload.
enum UploadKind: CaseIterable {
    case data, noData, file, emptyFile, form

    /// Makes a body whose files are in a directory.
    func body(in directory: TemporaryDirectory) throws -> HTTPBody {
        // Blocks of any usual size differ.
        let content = Data(String(repeating: "0123456789abcdefghijklm", count: 10_000).utf8)
        return switch self {
        case .data: .data(content, contentType: "image/png")
        case .noData: .data(Data())
        case .file: .file(try directory.file("photo.png", content), contentType: "image/png")
        case .emptyFile: .file(try directory.file("empty", Data()))
        case .form:
            .multipart([
                .text("name", "Ada"), .file("photo", try directory.file("photo.png", content)),
            ])
        }
    }
}
