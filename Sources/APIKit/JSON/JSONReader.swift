import Foundation

/// A reader of JSON text that skips the values that its caller does not read.
///
/// Unlike `JSONSerialization`, it throws the same errors on every platform, each with its place. It
/// accepts skipped values of any depth. It must not outlive the bytes.
package struct JSONReader {
    private enum Step {
        case member(String)
        case element(Int)
    }

    let bytes: UnsafeBufferPointer<UInt8>
    let isLenient: Bool
    /// The index of the next token, or the count of the bytes.
    var index = 0
    /// The members and elements that contain the next token.
    private var path: [Step] = []

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - text: The text in UTF-8.
    ///   - isLenient: Whether strings may contain control characters, invalid UTF-8, or half of a
    ///     surrogate pair, which browsers write.
    package init(_ text: UnsafeRawBufferPointer, isLenient: Bool) {
        self.isLenient = isLenient
        bytes = text.bindMemory(to: UInt8.self)
        if text.starts(with: "\u{FEFF}".utf8) { index = 3 }
        skipSpace()
    }
}

extension JSONReader {
    /// Reads an object, and calls a closure with the name of each member.
    ///
    /// The closure reads the value, or else the reader skips it. `null` is an empty object.
    package mutating func readObject(
        _ readMember: (inout JSONReader, _ name: String) throws -> Void
    ) throws {
        guard !skipNull() else { return }
        guard skip("{") else { throw expected("an object") }
        guard !skip("}") else { return }
        repeat {
            guard isNext("\"") else { throw mistake("expected the name of a member") }
            let name = try readText { String(decoding: $0, as: UTF8.self) }
            guard skip(":") else { throw mistake("expected a colon") }
            path.append(.member(name))
            let start = index
            try readMember(&self, name)
            if index == start { try skipValue() }
            path.removeLast()
        } while skip(",")
        guard skip("}") else { throw mistake("expected a comma or }") }
    }

    /// Reads an array, and calls a closure that must read each element.
    ///
    /// `null` is an empty array.
    package mutating func readArray(_ readElement: (inout JSONReader) throws -> Void) throws {
        guard !skipNull() else { return }
        guard skip("[") else { throw expected("an array") }
        guard !skip("]") else { return }
        var count = 0
        repeat {
            path.append(.element(count))
            try readElement(&self)
            path.removeLast()
            count += 1
        } while skip(",")
        guard skip("]") else { throw mistake("expected a comma or ]") }
    }

    /// Reads a string, or `nil` for `null`.
    package mutating func readString() throws -> String? {
        guard !skipNull() else { return nil }
        return try readText { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads the UTF-8 bytes of a string, or `nil` for `null`.
    package mutating func readData() throws -> Data? {
        guard !skipNull() else { return nil }
        return try readText { Data($0) }
    }

    /// Reads a number, or `nil` for `null`.
    package mutating func readNumber() throws -> Double? {
        guard !skipNull() else { return nil }
        guard let end = endOfNumber, let number = Double(text(to: end)), number.isFinite else {
            throw expected("a number")
        }
        skip(to: end)
        return number
    }

    /// Throws an error if anything follows the value.
    package func finish() throws {
        if index < bytes.count { throw mistake("expected the end of the text") }
    }

    /// The number of arrays and objects that contain the next token.
    var depth: Int { path.count }

    /// Returns an error with the place of the current value, or of one of its members.
    package func error(_ reason: String, at member: String? = nil) -> JSONError {
        var place = ""
        for step in path + (member.map { [.member($0)] } ?? []) {
            switch step {
            case .member(let name): place += place.isEmpty ? name : ".\(name)"
            case .element(let index): place += "[\(index)]"
            }
        }
        return JSONError(place: place, reason: reason)
    }
}

extension JSONReader {
    /// Returns the error for a next token that is not of the expected kind.
    func expected(_ kind: String) -> JSONError {
        let startsValue =
            index < bytes.count
            && ("{[\"".utf8.contains(bytes[index]) || Self.isScalar(bytes[index]))
        return startsValue && depth > 0 ? error("expected \(kind)") : mistake("expected \(kind)")
    }

    /// Returns an error with the line and the column of a mistake in the JSON text.
    func mistake(_ reason: String, at mistake: Int? = nil) -> JSONError {
        let before = bytes[..<min(mistake ?? index, bytes.count)]
        let lines = before.split(separator: 0x0A, omittingEmptySubsequences: false)
        let column = String(decoding: lines[lines.count - 1], as: UTF8.self).unicodeScalars.count
        return JSONError(place: "line \(lines.count), column \(column + 1)", reason: reason)
    }
}

/// A mistake in JSON text, or in the values of a JSON file.
package struct JSONError: Error, Equatable, CustomStringConvertible {
    /// The place, such as `log.entries[3].response.content.text`, or `line 7, column 3` of a text that
    /// is not JSON.
    package let place: String
    /// The mistake, such as `expected base64`.
    package let reason: String

    package init(place: String, reason: String) {
        self.place = place
        self.reason = reason
    }

    package var description: String { "\(place): \(reason)" }
}
