import Foundation

#if canImport(Testing)
import Testing
#endif
#if canImport(XCTest)
import XCTest
#endif

/// A failure of a test, with its source location.
public struct TestFailure: Error, Sendable, Hashable {
    /// The failure and its remedy.
    public let message: String

    let location: SourceCodeLocation?

    /// The texts that an error contains if it describes this failure.
    private let excerpts: [String]

    /// The path of the source file, if it is known.
    public var filePath: String? { location.map { "\($0.filePath)" } }

    /// The line in the source file, if it is known.
    public var line: Int? { location?.line }

    init(_ message: String, at location: SourceCodeLocation?, excerpts: [String]? = nil) {
        self.message = message
        self.location = location
        self.excerpts = excerpts ?? [message]
    }

    /// Returns whether a text, such as another failure, describes this failure.
    func isDescribed(in text: String) -> Bool {
        excerpts.allSatisfy(text.contains)
    }

    /// Creates the failure for a route with a mistake in its pattern or reply.
    init(invalidRoute problem: String, at location: SourceCodeLocation?) {
        self.init("A route is invalid: \(problem)", at: location)
    }

    func appending(_ text: String) -> TestFailure {
        TestFailure(message + text, at: location, excerpts: excerpts)
    }

    /// Whether the calling task belongs to a test of Swift Testing.
    static var hasCurrentTest: Bool {
        #if canImport(Testing)
        Test.current != nil
        #else
        false
        #endif
    }

    /// The name of the test of the calling task, in Swift Testing.
    static var currentTestName: String? {
        #if canImport(Testing)
        Test.current?.name
        #else
        nil
        #endif
    }

    /// The argument of `swift test --filter` for the test of the calling task, in Swift Testing.
    static var currentTestFilter: String? {
        #if canImport(Testing)
        Test.current.map { test in
            let names = test.id.nameComponents.map { $0.prefix { $0 != "(" } }
            return names.joined(separator: "/")
        }
        #else
        nil
        #endif
    }

    /// Fails the running test, in the framework that runs it.
    ///
    /// Neither framework receives the failures of the other. Swift Testing attributes a failure to
    /// the test of the calling task, so call this function in a task of the test.
    func record() {
        #if canImport(Testing)
        if let test = Test.current {
            let sourceLocation = location.map {
                SourceLocation(
                    fileID: $0.fileID, filePath: "\($0.filePath)", line: $0.line, column: $0.column)
            }
            Issue.record(
                Comment(rawValue: message), sourceLocation: sourceLocation ?? test.sourceLocation)
            return
        }
        #endif
        #if canImport(XCTest)
        if let location {
            XCTFail(message, file: location.filePath, line: UInt(location.line))
        } else {
            // XCTest itself writes so. The default is the file of this function.
            XCTFail(message, file: "<unknown>", line: 0)
        }
        #endif
    }
}

extension TestFailure: CustomStringConvertible, LocalizedError, CustomNSError {
    /// The source location and the message.
    public var description: String { (location.map { "\($0.text): " } ?? "") + message }

    /// The source location and the message.
    public var errorDescription: String? { description }

    // On Apple platforms a URL session keeps only the domain, code and user info of an error.
    /// The source location and the message as the localized description.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
