import APIKit
import Foundation

/// A request as it arrived on a port (RFC 9112).
struct PortRequest {
    /// A mistake in the syntax or the framing of a request, after which the connection ends.
    struct Mistake: Error {
        let status: Int
        let text: String
    }

    let method: String
    let target: String
    /// Whether the client accepts chunks, and sends further requests on the connection.
    let isHTTP11: Bool
    /// The header fields, by their names as written.
    ///
    /// Repeated fields are joined.
    private(set) var headers: [String: String] = [:]
    private(set) var body = Data()

    /// Returns the value of a header field.
    func header(_ name: String) -> String? {
        headers.first { $0.key.lowercased() == name }?.value
    }

    fileprivate init(_ lines: [String]) throws(Mistake) {
        let parts = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, HTTPToken.isValid(String(parts[0])), !parts[1].isEmpty,
            ["HTTP/1.1", "HTTP/1.0"].contains(parts[2])
        else { throw Mistake(status: 400, text: "The first line is no request of HTTP/1.1.") }
        (method, target) = (String(parts[0]), String(parts[1]))
        isHTTP11 = parts[2] == "HTTP/1.1"
        for line in lines.dropFirst() {
            let (name, rest) = line.split(at: ":")
            let value = rest.trimmingCharacters(in: .whitespaces)
            guard HTTPToken.isValid(String(name)), line.utf8.contains(UInt8(ascii: ":")),
                value.isFieldValue
            else { throw Mistake(status: 400, text: "A header field is malformed.") }
            let key = headers.keys.first { $0.lowercased() == name.lowercased() } ?? String(name)
            let separator = name.lowercased() == "cookie" ? "; " : ", "
            headers[key] = headers[key].map { $0 + separator + value } ?? value
        }
    }

    /// The length of the body, or `nil` for chunks.
    fileprivate var length: Int? {
        get throws(Mistake) {
            guard let coding = header("transfer-encoding") else {
                let lengths = Set(
                    (header("content-length") ?? "0").split(separator: ",").map {
                        $0.trimmingCharacters(in: .whitespaces)
                    })
                guard lengths.count == 1, let text = lengths.first,
                    text.utf8.allSatisfy(ByteSet.digits.contains), let length = Int(text)
                else { throw Mistake(status: 400, text: "Content-Length is no number.") }
                return length
            }
            // Another server may read a body of another length (RFC 9112, section 6.1).
            guard coding.lowercased() == "chunked", isHTTP11, header("content-length") == nil
            else { throw Mistake(status: 400, text: "The length of the body is ambiguous.") }
            return nil
        }
    }

    /// Reads the requests of a connection.
    struct Reader {
        private static let limit = 65_536
        private let socket: Socket
        private var buffer = Data()

        init(_ socket: Socket) { self.socket = socket }

        /// Whether the start of a further request has arrived.
        var hasBytes: Bool { !buffer.isEmpty }

        /// Returns the next request, or `nil` at the end of the connection.
        mutating func next() throws(Mistake) -> PortRequest? {
            guard let lines = try readHead() else { return nil }
            var request = try PortRequest(lines)
            let length = try request.length
            if length != 0, buffer.isEmpty, request.isHTTP11,
                request.header("expect")?.lowercased() == "100-continue"
            {
                socket.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
            }
            let body = if let length { read(length) } else { try readChunks() }
            guard let body else { return nil }
            request.body = body
            return request
        }

        /// Returns the lines of a head.
        private mutating func readHead() throws(Mistake) -> [String]? {
            var (lines, size) = ([String](), 0)
            while let line = try readLine() {
                if line.isEmpty {
                    // Some clients send an empty line after a body (RFC 9112, section 2.2).
                    guard lines.isEmpty else { return lines }
                    continue
                }
                // Fields in other encodings than UTF-8 are in ISO 8859-1.
                let text = String(data: line, encoding: .utf8)
                lines.append(text ?? String(data: line, encoding: .isoLatin1) ?? "")
                size += line.count
                guard size <= Self.limit else {
                    throw Mistake(status: 431, text: "The header fields are too long.")
                }
            }
            return nil
        }

        /// Returns the next line without its ending.
        private mutating func readLine() throws(Mistake) -> Data? {
            while true {
                if let end = buffer.firstIndex(of: 0x0A) {
                    let line = buffer[..<end]
                    buffer = buffer[(end + 1)...]
                    guard line.last == 0x0D, !line.dropLast().contains(0x0D) else {
                        throw Mistake(status: 400, text: "A line does not end with CR and LF.")
                    }
                    return line.dropLast()
                }
                guard buffer.count <= Self.limit else {
                    throw Mistake(status: 431, text: "A line is too long.")
                }
                guard fill() else { return nil }
            }
        }

        private mutating func read(_ count: Int) -> Data? {
            while buffer.count < count { guard fill() else { return nil } }
            defer { buffer = buffer.dropFirst(count) }
            return Data(buffer.prefix(count))
        }

        private mutating func readChunks() throws(Mistake) -> Data? {
            var body = Data()
            while true {
                guard let line = try readLine() else { return nil }
                let digits = String(
                    decoding: line.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self
                )
                .trimmingCharacters(in: .whitespaces)
                guard !digits.isEmpty, digits.utf8.allSatisfy({ $0.hexDigitValue != nil }),
                    let count = Int(digits, radix: 16)
                else { throw Mistake(status: 400, text: "The size of a chunk is no number.") }
                guard count > 0 else {
                    // The fields after the body have no place in a `URLRequest`.
                    while let trailer = try readLine() { if trailer.isEmpty { return body } }
                    return nil
                }
                guard let chunk = read(count), let end = try readLine() else { return nil }
                guard end.isEmpty else {
                    throw Mistake(status: 400, text: "A chunk is longer than its size.")
                }
                body += chunk
            }
        }

        /// Reads the rest after a mistake, at most a megabyte.
        ///
        /// Closing a connection with unread bytes resets it, and the client loses the response.
        mutating func skip() {
            socket.shutdown(Int32(SHUT_WR))
            for _ in 0..<16 {
                buffer = Data()
                guard fill() else { return }
            }
        }

        private mutating func fill() -> Bool {
            if buffer.isEmpty { buffer = Data() }
            return socket.receive(into: &buffer)
        }
    }
}
