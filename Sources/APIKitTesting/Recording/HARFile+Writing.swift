import Foundation

extension HARFile {
    /// The bytes of the file: the same ones for the same entries, on every platform.
    ///
    /// The members have the order of the specification, and header fields the order of their names.
    /// Required members without a use in a test are empty, zero or -1.
    var data: Data {
        var writer = JSONWriter()
        writer.object { writer in
            writer.object("log") { log in
                log.string("version", "1.2")
                log.object("creator") { creator in
                    creator.string("name", Self.creator)
                    creator.string("version", "1")
                }
                log.array("entries", entries) { log, entry in
                    log.object { entry.write(to: &$0) }
                }
            }
        }
        return Data(writer.bytes)
    }
}

extension HAREntry {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.string("startedDateTime", HARDate.text(of: startedAt))
        wait.write("time", to: &writer)
        writer.object("request") { request.write(to: &$0) }
        writer.object("response") { response.write(to: &$0) }
        writer.object("cache") { _ in }
        writer.object("timings") { timings in
            timings.number("send", 0)
            wait.write("wait", to: &timings)
            timings.number("receive", 0)
        }
    }
}

extension HAREntry.Request {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.string("method", method)
        writer.string("url", url)
        headers.writeHead(to: &writer)
        writer.array("queryString", [String]()) { _, _ in }
        if !body.isEmpty {
            writer.object("postData") { content in
                content.string("mimeType", headers.value(named: "Content-Type") ?? "")
                if body.isText {
                    content.string("text", body)
                } else {
                    content.string("text", body.base64EncodedData())
                    // HAR 1.2 has no member for the encoding of a request.
                    content.string("_encoding", "base64")
                }
            }
        }
        writer.number("headersSize", -1)
        writer.number("bodySize", body.count)
    }
}

extension HAREntry.Response {
    fileprivate func write(to writer: inout JSONWriter) {
        let contentType = headers.value(named: "Content-Type") ?? ""
        writer.number("status", status)
        writer.string("statusText", "")
        headers.writeHead(to: &writer)
        writer.object("content") { content in
            content.number("size", body.count)
            content.string("mimeType", contentType)
            if body.isText,
                HARContent.body(ofText: body, contentType: contentType) == body
            {
                content.string("text", body)
            } else {
                content.string("text", body.base64EncodedData())
                content.string("encoding", "base64")
            }
        }
        writer.string("redirectURL", headers.value(named: "Location") ?? "")
        writer.number("headersSize", -1)
        writer.number("bodySize", -1)
        if let error { writer.string("_error", error) }
    }
}

extension [HAREntry.Field] {
    /// Writes the members that a request and a response have in common.
    fileprivate func writeHead(to writer: inout JSONWriter) {
        writer.string("httpVersion", "HTTP/1.1")
        writer.array("cookies", [String]()) { _, _ in }
        // `sorted` is stable, so equal names keep their order.
        let fields = sorted { $0.name.lowercased() < $1.name.lowercased() }
        writer.array("headers", fields) { headers, field in
            headers.object(inline: true) { header in
                header.string("name", field.name)
                header.string("value", field.value)
            }
        }
    }
}

extension Data {
    /// Whether the bytes are UTF-8 without NUL.
    fileprivate var isText: Bool {
        !contains(0) && Data(String(decoding: self, as: UTF8.self).utf8) == self
    }
}

extension Duration {
    /// Writes the duration in milliseconds.
    fileprivate func write(_ name: String, to writer: inout JSONWriter) {
        let microseconds = (self / .microseconds(1)).rounded()
        let milliseconds = microseconds / 1000
        if let whole = Int(exactly: milliseconds) {
            writer.number(name, whole)
        } else {
            writer.number(name, milliseconds)
        }
    }
}
