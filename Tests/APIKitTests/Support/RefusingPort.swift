import Foundation

/// A port of 127.0.0.1 at which nobody listens, nor can as long as it lives.
final class RefusingPort: Sendable {
    let url: URL
    private let descriptor: Int32

    init() throws {
        let number: UInt16
        (descriptor, number) = try LoopbackSocket.make()
        url = URL(string: "http://127.0.0.1:\(number)/dogs") ?? URL(filePath: "/")
    }

    deinit {
        close(descriptor)
    }
}
