import APIKit
import Foundation

extension LoopbackServer {
    /// Starts a server that sends N bytes for `GET /N`, and reads N bytes for `PUT /N`, both as fast as the
    /// client.
    ///
    /// A body of at most 16 KB is a string in JSON, which the server sends in one packet with its head.
    static func ofBytes() throws -> LoopbackServer {
        try serving { connection in
            while true {
                let head = try connection.head()
                let words = head.split(separator: " ", maxSplits: 2)
                guard words.count == 3, let size = Int(words[1].dropFirst()) else { return }
                guard words[0] == "PUT" else {
                    guard connection.send(byteCount: size) else { return }
                    continue
                }
                let fields = head.lowercased() + "\r\n"
                guard fields.contains("\r\ncontent-length: \(size)\r\n") else { return }
                if fields.contains("\r\nexpect: 100-continue\r\n") {
                    connection.write("HTTP/1.1 100 Continue\r\n\r\n")
                }
                try connection.skip(size)
                guard connection.send(byteCount: 0) else { return }
            }
        }
    }

    var url: URL { url("") }

    func request(byteCount: Int) -> URLRequest {
        URLRequest(url: url.appending(path: "\(byteCount)"))
    }
}

extension LoopbackConnection {
    private static let block = Data(repeating: UInt8(ascii: "x"), count: 1 << 18)

    /// Sends a response, and returns whether the connection is still open.
    fileprivate func send(byteCount: Int) -> Bool {
        let head = """
            HTTP/1.1 200 OK\r
            Content-Type: application/octet-stream\r
            Content-Length: \(byteCount)\r
            \r

            """
        var rest = min(byteCount, 1 << 14)
        var start = Data(head.utf8) + Self.block.prefix(rest)
        if rest == byteCount, rest > 1 {
            for index in [start.count - rest, start.count - 1] { start[index] = UInt8(ascii: "\"") }
        }
        guard write(start) else { return false }
        rest = byteCount - rest
        while rest > 0 {
            let piece = Self.block.prefix(rest)
            guard write(piece) else { return false }
            rest -= piece.count
        }
        return true
    }
}
