import APIKit
import Foundation

/// A server on 127.0.0.1 that sends N bytes for `GET /N`, and reads N bytes for `PUT /N`, both as fast
/// as the client.
///
/// A body of at most 16 KB is a string in JSON.
final class LoopbackServer: Sendable {
    let url: URL
    private let listener: Int32

    init() throws {
        let port: UInt16
        (listener, port) = try LoopbackSocket.make()
        let listener = listener
        guard listen(listener, 128) == 0, let url = URL(string: "http://127.0.0.1:\(port)") else {
            throw POSIXError(.EADDRNOTAVAIL)
        }
        self.url = url
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread {
                    LoopbackConnection(connection).serve()
                    close(connection)
                }
            }
        }
    }

    deinit {
        // The accepting thread never closes the listener, so the descriptor is still valid.
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    func request(byteCount: Int) -> URLRequest {
        URLRequest(url: url.appending(path: "\(byteCount)"))
    }
}
