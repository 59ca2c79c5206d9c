import APIKit
import Foundation

/// The validators of a representation, to which the conditions of a request are compared.
struct Validators {
    private let eTag: String?
    private let lastModifiedField: String?

    init(_ headers: [String: String]) {
        (eTag, lastModifiedField) = (headers["ETag"], headers["Last-Modified"])
    }

    /// The date of `Last-Modified`, parsed only when a condition needs it.
    private var lastModified: Date? { lastModifiedField.flatMap(HTTPDate.parse) }

    /// Returns the status that the conditions of a request require, or `nil` if they allow 200.
    ///
    /// Their order is that of RFC 9110, section 13.2.2.
    func status(for request: RecordedRequest) -> Int? {
        // It has no conditions (section 13.2.1).
        if request.method == .options { return nil }
        let isRead = [.get, .head].contains(request.method)
        if let field = request.header("If-Match") {
            guard isNamed(by: field, strongly: true) else { return 412 }
        } else if let date = request.date("If-Unmodified-Since"), let lastModified {
            guard lastModified <= date else { return 412 }
        }
        if let field = request.header("If-None-Match") {
            guard isNamed(by: field, strongly: false) else { return nil }
            return isRead ? 304 : 412
        }
        guard isRead, let date = request.date("If-Modified-Since"), let lastModified
        else { return nil }
        return lastModified <= date ? 304 : nil
    }

    /// Returns the bytes that a request selects, or `nil` for the whole representation.
    ///
    /// The range is empty if it cannot be satisfied.
    func range(of request: RecordedRequest, in size: Int) -> Range<Int>? {
        // Only for GET does the standard define ranges (section 14.2).
        guard request.method == .get, let field = request.header("Range"), allowsRange(of: request)
        else { return nil }
        return Range(bytesOf: field, in: size)
    }

    private func allowsRange(of request: RecordedRequest) -> Bool {
        guard let field = request.header("If-Range") else { return true }
        let validator = field.trimmingCharacters(in: .whitespaces)
        if validator.contains("\"") { return validator == eTag && EntityTag.isStrong(validator) }
        return request.date("If-Range").map { $0 == lastModified } ?? false
    }

    private func isNamed(by field: String, strongly: Bool) -> Bool {
        if field.trimmingCharacters(in: .whitespaces) == "*" { return true }
        guard let eTag else { return false }
        return EntityTag.list(field).contains {
            strongly ? $0 == eTag && EntityTag.isStrong(eTag) : EntityTag.isMatch($0, eTag)
        }
    }
}

extension RecordedRequest {
    /// The date of a header field, or `nil` if there is none, or no valid one.
    fileprivate func date(_ name: String) -> Date? {
        header(name).flatMap { HTTPDate.parse($0.trimmingCharacters(in: .whitespaces)) }
    }
}

extension Range<Int> {
    /// Creates the range that a `Range` selects from a number of bytes (RFC 9110, section 14.1.2).
    ///
    /// It is empty if it cannot be satisfied, and `nil` if the field has not exactly one valid range.
    fileprivate init?(bytesOf field: String, in size: Int) {
        let syntax = /\s*bytes=[\s,]*([0-9]*)-([0-9]*)[\s,]*/.ignoresCase()
        guard let match = field.wholeMatch(of: syntax) else { return nil }
        // A number may be too large for an `Int`.
        let (first, last) = (Int(match.1) ?? .max, Int(match.2) ?? .max)
        if match.1.isEmpty {
            // The last bytes. A 206 cannot contain the end of an empty representation.
            guard !match.2.isEmpty, size > 0 || last == 0 else { return nil }
            self = Swift.max(0, size - last)..<size
        } else {
            guard first <= last else { return nil }
            self = Swift.min(first, size)..<(Swift.min(last, size - 1) + 1)
        }
    }
}
