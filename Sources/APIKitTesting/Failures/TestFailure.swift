import APIKit
import Foundation

#if canImport(Testing)
import Testing
#endif
#if canImport(XCTest)
import XCTest
#endif

/// A failure of a test, with its source location.
///
/// ``MockServer/failures`` lists failures. A function that waits in vain, such as `nextRequest`, throws one.
public struct TestFailure: Error, Sendable, Hashable {
    /// The failure and its remedy.
    public let message: String

    let location: SourceCodeLocation?

    /// Whether it does not fail the test.
    private(set) var isWarning = false

    init(_ message: String, at location: SourceCodeLocation?) {
        self.message = message
        self.location = location
    }

    /// Creates the failure for a route with a mistake in its pattern or reply.
    init(invalidRoute problem: String, at location: SourceCodeLocation?) {
        self.init("A route is invalid: \(problem)", at: location)
    }

    func appending(_ text: String) -> TestFailure {
        TestFailure(message + text, at: location)
    }

    /// The same text as a warning, which does not fail the test.
    var asWarning: TestFailure {
        var warning = self
        warning.isWarning = true
        return warning
    }

    /// The same text as a failure.
    var asFailure: TestFailure { TestFailure(message, at: location) }

    /// Whether the calling task belongs to a test of Swift Testing.
    static var hasCurrentTest: Bool { currentTest != nil }

    /// The name of the current test in Swift Testing, and its argument for `swift test --filter`.
    static var currentTest: (name: String, filter: String)? {
        #if canImport(Testing)
        Test.current.map { test in
            let names = test.id.nameComponents.map { $0.prefix { $0 != "(" } }
            return (test.name, names.joined(separator: "/"))
        }
        #else
        nil
        #endif
    }

    /// Fails the running test, in the framework that runs it.
    ///
    /// Before Swift 6.4, neither framework receives the failures of the other. Later versions pass
    /// them on, but some only as warnings. Swift Testing attributes a failure to the test of the
    /// calling task. A failure in a detached task or on a queue has no test, and fails the run.
    ///
    /// A warning is one of Swift Testing from Swift 6.3 on, or else a line of standard error.
    func report() {
        #if canImport(Testing)
        let (text, place) = (Comment(rawValue: message), location?.sourceLocation)
        if let test = Test.current {
            #if compiler(>=6.3)
            Issue.record(
                text, severity: isWarning ? .warning : .error,
                sourceLocation: place ?? test.sourceLocation)
            return
            #else
            if !isWarning {
                Issue.record(text, sourceLocation: place ?? test.sourceLocation)
                return
            }
            #endif
        }
        #endif
        if isWarning { return Notice.write("warning: \(description)") }
        #if canImport(Testing) && compiler(<6.4)
        // The framework that does not run drops its failure.
        Issue.record(text, sourceLocation: place ?? #_sourceLocation)
        #endif
        #if canImport(XCTest)
        if let location {
            XCTFail(message, file: location.filePath, line: UInt(location.line))
        } else {
            // XCTest itself writes this path for an unknown location. The default is this file.
            XCTFail(message, file: "<unknown>", line: 0)
        }
        #endif
    }
}

extension TestFailure: CustomStringConvertible, LocalizedError, CustomNSError,
    ErrorWithoutSecrets
{
    /// The source location and the message.
    public var description: String { (location.map { "\($0.text): " } ?? "") + message }

    /// The source location and the message.
    public var errorDescription: String? { description }

    // On Apple platforms a URL session keeps only the domain, code and user info of an error.
    /// The source location and the message as the localized description.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}

/// A location in the source code of a test.
struct SourceCodeLocation: Sendable, Hashable {
    let fileID: String
    let filePath: StaticString
    let line: Int
    let column: Int

    init(_ fileID: StaticString, _ filePath: StaticString, _ line: Int, _ column: Int) {
        self.fileID = "\(fileID)"
        self.filePath = filePath
        // Swift Testing traps on numbers below 1.
        self.line = max(1, line)
        self.column = max(1, column)
    }

    #if canImport(Testing)
    fileprivate var sourceLocation: SourceLocation {
        SourceLocation(fileID: fileID, filePath: "\(filePath)", line: line, column: column)
    }
    #endif

    /// The file name and the line, for messages.
    var text: String {
        "\(fileID.split(separator: "/").last ?? ""):\(line)"
    }

    static func == (first: SourceCodeLocation, second: SourceCodeLocation) -> Bool {
        first.fileID == second.fileID && first.line == second.line && first.column == second.column
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(fileID)
        hasher.combine(line)
        hasher.combine(column)
    }
}

/// A line for the developer, which is not a failure.
enum Notice {
    /// Writes a line to standard error.
    static func write(_ text: String) {
        // A line that cannot be written must not fail the test.
        try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8))
    }
}

extension [TestFailure] {
    /// The distinct failures, each with its number of occurrences if there are several.
    var merged: [TestFailure] {
        var counts: [TestFailure: Int] = [:]
        for failure in self { counts[failure, default: 0] += 1 }
        var seen: Set<TestFailure> = []
        return filter { seen.insert($0).inserted }.map { failure in
            let count = counts[failure] ?? 1
            return count > 1 ? failure.appending(" (\(counted(count)))") : failure
        }
    }
}

/// Returns a number of times in words.
func counted(_ count: Int) -> String {
    switch count {
    case 1: "once"
    case 2: "twice"
    default: "\(count) times"
    }
}
