import APIKit
import Foundation

/// The member `content` of a response, or `postData` of a request.
struct HARContent {
    private(set) var mimeType = ""
    private(set) var size = 0
    /// The text, or the bytes if the text was base64.
    private(set) var bytes: Data?
    private(set) var isBase64 = false
    /// The fields of a form, because some tools write a body only as its fields.
    private var parameters: [[String: String]] = []

    init() {}

    init(from reader: inout JSONReader) throws {
        try reader.readObject { reader, name in
            switch name {
            case "size": size = try reader.readInteger() ?? 0
            case "mimeType": mimeType = try reader.readString() ?? ""
            case "text": bytes = try reader.readData()
            case "encoding", "_encoding":
                isBase64 = try reader.readString()?.lowercased() == "base64"
            case "params":
                try reader.readArray {
                    let names = ["name", "value", "fileName", "contentType"]
                    try parameters.append($0.readStrings(named: names))
                }
            default: break
            }
        }
        guard isBase64, let text = bytes else { return }
        guard let data = Self.data(base64: text) else {
            throw reader.error("expected base64", at: "text")
        }
        bytes = data
    }

    /// Decodes base64, with or without line breaks.
    private static func data(base64 text: Data) -> Data? {
        Data(base64Encoded: text)
            ?? Data(base64Encoded: text.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) })
    }
}

extension HARContent {
    /// Returns the body of a request.
    ///
    /// - Parameter size: The size that the file states, or a negative number.
    /// - Returns: The decoded text, or else the fields of a form.
    func requestBody(ofSize size: Int) -> Data {
        guard let bytes, !bytes.isEmpty || parameters.isEmpty else { return form }
        // Charles writes base64 without stating it. Then only the decoded body has the stated size.
        if !isBase64, bytes.count != size, let data = Data(base64Encoded: bytes),
            data.count == size
        {
            return data
        }
        return bytes
    }

    private var form: Data {
        guard mimeType.lowercased().hasPrefix("multipart/") else {
            let items = parameters.reduce(into: [:] as QueryItems) {
                $0.append($1["name"] ?? "", $1["value"] ?? "")
            }
            return Data(items.form.utf8)
        }
        let boundary = FieldReader.parameters(of: mimeType)["boundary"] ?? "boundary"
        let parts = parameters.map { parameter in
            let name = (parameter["name"] ?? "").escapedInFormData
            var head = "Content-Disposition: form-data; name=\"\(name)\""
            if let fileName = parameter["fileName"] {
                head += "; filename=\"\(fileName.escapedInFormData)\""
            }
            if let contentType = parameter["contentType"] {
                head += "\r\nContent-Type: \(contentType)"
            }
            return "--\(boundary)\r\n\(head)\r\n\r\n\(parameter["value"] ?? "")\r\n"
        }
        return Data("\(parts.joined())--\(boundary)--\r\n".utf8)
    }
}

extension HARContent {
    /// Returns the body of a response.
    func responseBody(contentType: String?) -> Data {
        guard let bytes else { return Data() }
        return isBase64 ? bytes : Self.body(ofText: bytes, contentType: contentType ?? mimeType)
    }

    /// Returns a text encoded in the charset of its media type, as the server sent it.
    ///
    /// Browsers write the decoded text, and decode ISO 8859-1 as Windows-1252 (WHATWG Encoding
    /// Standard). A text with other characters or with another charset stays UTF-8.
    static func body(ofText text: Data, contentType: String) -> Data {
        let charset = FieldReader.parameters(of: contentType)["charset"]?.lowercased() ?? ""
        guard ["iso-8859-1", "latin1", "windows-1252"].contains(charset) else { return text }
        let string = String(decoding: text, as: UTF8.self)
        return string.data(using: .windowsCP1252) ?? string.data(using: .isoLatin1) ?? text
    }
}
