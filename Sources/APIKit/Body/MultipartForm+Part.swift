import Foundation

extension MultipartForm {
    /// A field of a form.
    public struct Part: Sendable {
        let name: String
        let fileName: String?
        let contentType: String?
        let content: Content

        enum Content {
            case data(Data)
            case file(URL)
        }

        /// A field of text, with line breaks sent as a carriage return and a line feed.
        public static func text(_ name: String, _ value: String) -> Part {
            Part(
                name: name, fileName: nil, contentType: nil,
                content: .data(Data(value.withLineBreaksOfHTTP.utf8)))
        }

        /// A field of bytes, which servers treat as a file if it has a file name.
        public static func data(
            _ name: String,
            _ data: Data,
            fileName: String? = nil,
            contentType: String = "application/octet-stream"
        ) -> Part {
            Part(name: name, fileName: fileName, contentType: contentType, content: .data(data))
        }

        /// A field of the content of a file, which is read when the form is sent.
        ///
        /// - Parameters:
        ///   - name: The name of the field.
        ///   - url: The file. Keep it until the form has been sent.
        ///   - fileName: The file name to send. The default is the name of the file.
        ///   - contentType: The content type of the file.
        /// - Returns: The field.
        public static func file(
            _ name: String,
            _ url: URL,
            fileName: String? = nil,
            contentType: String = "application/octet-stream"
        ) -> Part {
            Part(
                name: name, fileName: fileName ?? url.lastPathComponent, contentType: contentType,
                content: .file(url))
        }
    }
}
