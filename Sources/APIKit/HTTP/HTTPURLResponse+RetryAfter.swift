import Foundation

extension HTTPURLResponse {
    /// The delay that `Retry-After` asks for, in seconds or until a date (RFC 9110, section 10.2.3).
    ///
    /// A date counts from the `Date` of the response, since the clock of the device may be wrong,
    /// and otherwise from now. A date that has passed and a malformed value ask for nothing.
    func retryDelay(from now: Date) -> Duration? {
        guard let value = value(forHTTPHeaderField: "Retry-After") else { return nil }
        let text = value.trimmingCharacters(in: .whitespaces)
        if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
            return .seconds(Int64(text) ?? Int64.max)
        }
        guard let date = HTTPDate.parse(text) else { return nil }
        let start = self.value(forHTTPHeaderField: "Date").flatMap(HTTPDate.parse) ?? now
        let seconds = date.timeIntervalSince(start)
        return seconds > 0 ? Duration(clampingSeconds: seconds) : nil
    }
}
