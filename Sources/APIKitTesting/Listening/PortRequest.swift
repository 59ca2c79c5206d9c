import APIKit
import Foundation

/// A request as it arrived on a port (RFC 9112).
struct PortRequest {
    /// A mistake in the syntax or the framing of a request, after which the connection ends.
    struct Mistake: Error {
        var status = 400
        let text: String

        static let tooLong = Mistake(
            status: 431, text: "The head has a line of 1 MiB, or more than 1,000 lines.")
    }

    let method: String
    /// The target in ASCII: each other byte, and each backslash, is an escape.
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

    /// Whether the client asks for another protocol (RFC 9110, section 7.8).
    ///
    /// A client that prefers HTTP/2 accepts HTTP/1.1.
    var isUpgrade: Bool {
        isHTTP11 && FieldReader.words(of: header("connection")).contains("upgrade")
            && FieldReader.words(of: header("upgrade")) != ["h2c"]
    }

    fileprivate init(_ lines: [Data]) throws {
        let parts = lines[0].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let texts = parts.map(Self.text)
        guard parts.count == 3, HTTPToken.isValid(texts[0]), !parts[1].isEmpty,
            // Browsers drop these bytes from a URL, and no client sends them.
            parts[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "#") }),
            texts[2].hasPrefix("HTTP/"),
            case let version = texts[2].dropFirst(5).split(at: "."),
            [version.0, version.1].allSatisfy({ $0.count == 1 && $0.isDigits })
        else { throw Mistake(text: "The first line is no request of HTTP/1.1.") }
        guard version.0 == "1" else { throw Mistake(status: 505, text: "The port has HTTP/1.1.") }
        method = texts[0]
        target = parts[1].map { byte in
            byte < 0x80 && byte != UInt8(ascii: "\\")
                ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
        }.joined()
        isHTTP11 = version.1 != "0"
        let fields = try lines.dropFirst().map(Self.field)
        headers = fields.joined
        let hosts = fields.filter { $0.name.lowercased() == "host" }.map(\.value)
        // RFC 9112, section 3.2.
        guard hosts.count == 1 || hosts.isEmpty && !isHTTP11
        else { throw Mistake(text: "The request has \(hosts.count) header fields Host. Send one.") }
        guard hosts.allSatisfy(Self.isHost)
        else { throw Mistake(text: "The header field Host is malformed.") }
    }

    /// Returns whether a text is a name or an address, with or without a port.
    private static func isHost(_ text: String) -> Bool {
        let end = text.hasPrefix("[") ? text.firstIndex(of: "]") : nil
        let colon = text[(end ?? text.startIndex)...].firstIndex(of: ":") ?? text.endIndex
        let allowed = end == nil ? nameBytes : addressBytes
        return text[..<colon].utf8.allSatisfy(allowed.contains)
            && text[colon...].dropFirst().utf8.allSatisfy(ByteSet.digits.contains)
    }

    private static let nameBytes = ByteSet.alphanumerics.union("-._~!$&'()*+,;=%")
    private static let addressBytes = nameBytes.union("[]:")

    private static func text(_ bytes: Data) -> String {
        // Fields in other encodings than UTF-8 are in ISO 8859-1.
        String(data: bytes, encoding: .utf8) ?? String(data: bytes, encoding: .isoLatin1) ?? ""
    }

    private static func field(_ line: Data) throws -> HeaderField {
        let (name, rest) = text(line).split(at: ":")
        let value = rest.trimmingCharacters(in: .whitespaces)
        guard HTTPToken.isValid(String(name)), line.contains(UInt8(ascii: ":")),
            value.isReceivedFieldValue
        else { throw Mistake(text: "A header field is malformed.") }
        return HeaderField(name: String(name), value: value)
    }

    /// Reads the requests of a connection.
    ///
    /// Its functions throw a ``Mistake``, or `CancellationError` at the end of the connection.
    struct Reader {
        private let socket: Socket
        private var buffer = Data()
        /// Whether the client sends the body only after it is asked to.
        private var isAwaited = false

        init(_ socket: Socket) { self.socket = socket }

        /// Whether the start of a further request has arrived.
        var hasBytes: Bool { !buffer.isEmpty }

        /// Returns the next request.
        mutating func next() throws -> PortRequest {
            var lines: [Data]
            // Some clients send an empty line after a body (RFC 9112, section 2.2).
            repeat { lines = try self.lines() } while lines.isEmpty
            var request = try PortRequest(lines)
            isAwaited = request.isHTTP11 && request.header("expect")?.lowercased() == "100-continue"
            defer { isAwaited = false }
            switch (request.header("transfer-encoding"), request.header("content-length")) {
            case (nil, nil): break
            case (nil, let length?):
                guard case let length = length.asSingleValue,
                    length.utf8.allSatisfy(ByteSet.digits.contains), let count = Int(length)
                else { throw Mistake(text: "Content-Length is no number.") }
                request.body = try bytes(count)
            case (let coding?, nil) where coding.lowercased() == "chunked" && request.isHTTP11:
                request.body = try chunks()
            // Another server may read a body of another length (RFC 9112, section 6.1).
            default: throw Mistake(text: "The length of the body is ambiguous.")
            }
            return request
        }

        /// Returns the lines before the next empty one.
        private mutating func lines() throws -> [Data] {
            var lines: [Data] = []
            while true {
                let line = try line()
                if line.isEmpty { return lines }
                guard lines.count < 1_000 else { throw Mistake.tooLong }
                lines.append(line)
            }
        }

        /// Returns the next line without its ending.
        private mutating func line() throws -> Data {
            var searched = 0
            while !buffer.dropFirst(searched).contains(0x0A) {
                searched = buffer.count
                // A client of https waits for the answer to the first bytes of TLS.
                guard buffer.first != 0x16
                else { throw Mistake(text: "The port has no TLS. Use http.") }
                guard buffer.count < 1 << 20 else { throw Mistake.tooLong }
                try fill()
            }
            let line = buffer.prefix { $0 != 0x0A }
            buffer = buffer.dropFirst(line.count + 1)
            guard line.last == 0x0D, !line.dropLast().contains(0x0D)
            else { throw Mistake(text: "A line does not end with CR and LF.") }
            return line.dropLast()
        }

        private mutating func bytes(_ count: Int) throws -> Data {
            while buffer.count < count { try fill() }
            defer { buffer = buffer.dropFirst(count) }
            return Data(buffer.prefix(count))
        }

        private mutating func chunks() throws -> Data {
            var body = Data()
            while true {
                let size = try text(line()).prefix { $0 != ";" }.trimmingCharacters(
                    in: .whitespaces)
                guard size.utf8.allSatisfy(ByteSet.hexDigits.contains),
                    let count = Int(size, radix: 16)
                else { throw Mistake(text: "The size of a chunk is no number.") }
                guard count > 0 else {
                    // The fields after the body have no place in a `URLRequest`.
                    for line in try lines() { _ = try field(line) }
                    return body
                }
                body += try bytes(count)
                guard try line().isEmpty
                else { throw Mistake(text: "A chunk is longer than its size.") }
            }
        }

        private mutating func fill() throws {
            if isAwaited { socket.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
            isAwaited = false
            if buffer.isEmpty { buffer = Data() }
            guard socket.receive(into: &buffer) else { throw CancellationError() }
        }
    }
}
