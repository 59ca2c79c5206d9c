import APIKit
import Foundation

/// A request as it arrived on a port (RFC 9112).
struct PortRequest {
    /// A mistake in the syntax or the framing of a request, after which the connection ends.
    struct Mistake: Error {
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

    fileprivate init(_ lines: [String]) throws {
        let parts = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, HTTPToken.isValid(String(parts[0])), !parts[1].isEmpty,
            ["HTTP/1.1", "HTTP/1.0"].contains(parts[2])
        else { throw Mistake(text: "The first line is no request of HTTP/1.1.") }
        (method, target) = (String(parts[0]), String(parts[1]))
        isHTTP11 = parts[2] == "HTTP/1.1"
        var hosts = 0
        for line in lines.dropFirst() {
            let (name, rest) = line.split(at: ":")
            let value = rest.trimmingCharacters(in: .whitespaces)
            guard HTTPToken.isValid(String(name)), line.utf8.contains(UInt8(ascii: ":")),
                value.isFieldValue
            else { throw Mistake(text: "A header field is malformed.") }
            let key = headers.keys.first { $0.lowercased() == name.lowercased() } ?? String(name)
            let separator = name.lowercased() == "cookie" ? "; " : ", "
            headers[key] = headers[key].map { $0 + separator + value } ?? value
            if name.lowercased() == "host" { hosts += 1 }
        }
        // RFC 9112, section 3.2.
        guard hosts == 1 || hosts == 0 && !isHTTP11
        else { throw Mistake(text: "The request has \(hosts) header fields Host. Send one.") }
    }

    /// Reads the requests of a connection.
    ///
    /// Its functions throw a ``Mistake``, or `CancellationError` at the end of the connection.
    struct Reader {
        private let socket: Socket
        private var buffer = Data()

        init(_ socket: Socket) { self.socket = socket }

        /// Whether the start of a further request has arrived.
        var hasBytes: Bool { !buffer.isEmpty }

        /// Returns the next request.
        mutating func next() throws -> PortRequest {
            var lines: [String]
            // Some clients send an empty line after a body (RFC 9112, section 2.2).
            repeat { lines = try self.lines() } while lines.isEmpty
            var request = try PortRequest(lines)
            if request.isHTTP11, request.header("expect")?.lowercased() == "100-continue" {
                socket.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
            }
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
        private mutating func lines() throws -> [String] {
            var lines: [String] = []
            while true {
                let line = try line()
                if line.isEmpty { return lines }
                lines.append(line)
            }
        }

        /// Returns the next line without its ending.
        private mutating func line() throws -> String {
            while !buffer.contains(0x0A) { try fill() }
            let line = buffer.prefix { $0 != 0x0A }
            buffer = buffer.dropFirst(line.count + 1)
            guard line.last == 0x0D, !line.dropLast().contains(0x0D)
            else { throw Mistake(text: "A line does not end with CR and LF.") }
            // Fields in other encodings than UTF-8 are in ISO 8859-1.
            return String(data: line.dropLast(), encoding: .utf8)
                ?? String(data: line.dropLast(), encoding: .isoLatin1) ?? ""
        }

        private mutating func bytes(_ count: Int) throws -> Data {
            while buffer.count < count { try fill() }
            defer { buffer = buffer.dropFirst(count) }
            return Data(buffer.prefix(count))
        }

        private mutating func chunks() throws -> Data {
            var body = Data()
            while true {
                let size = try line().prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
                guard size.utf8.allSatisfy(ByteSet.hexDigits.contains),
                    let count = Int(size, radix: 16)
                else { throw Mistake(text: "The size of a chunk is no number.") }
                guard count > 0 else {
                    // The fields after the body have no place in a `URLRequest`.
                    _ = try lines()
                    return body
                }
                body += try bytes(count)
                guard try line().isEmpty
                else { throw Mistake(text: "A chunk is longer than its size.") }
            }
        }

        private mutating func fill() throws {
            if buffer.isEmpty { buffer = Data() }
            guard socket.receive(into: &buffer) else { throw CancellationError() }
        }
    }
}
