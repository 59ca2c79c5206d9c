import APIKit
import Foundation

extension ByteStream {
    /// Everything that arrives, and the error that it ends with.
    func outcome() async -> (text: String, error: (any Error)?) {
        var data = Data()
        do {
            for try await chunk in self { data += chunk }
            return (String(decoding: data, as: UTF8.self), nil)
        } catch {
            return (String(decoding: data, as: UTF8.self), error)
        }
    }

    /// Everything that arrives, as text.
    func text() async throws -> String {
        String(decoding: try await data(), as: UTF8.self)
    }
}
