import Foundation

extension HTTPURLResponse {
    /// The delay that `Retry-After` asks for, in seconds or until a date (RFC 9110, section 10.2.3).
    ///
    /// A date that has passed asks for none; a value that is neither is no request at all.
    func retryDelay(from now: Date) -> Duration? {
        guard let value = value(forHTTPHeaderField: "Retry-After") else { return nil }
        let text = value.trimmingCharacters(in: .whitespaces)
        if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
            // More digits than fit are a very long time all the same.
            return .seconds(Int64(text) ?? Int64(Int32.max))
        }
        guard let date = HTTPDate.parse(text) else { return nil }
        return .seconds(max(0, date.timeIntervalSince(now)))
    }
}
