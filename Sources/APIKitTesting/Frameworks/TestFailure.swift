import Foundation

#if canImport(Testing)
import Testing
#endif
#if canImport(XCTest)
import XCTest
#endif

/// Something that is wrong with a test, and where.
public struct TestFailure: Error, Sendable, Hashable {
    /// What is wrong, and what to do about it.
    public let message: String

    let location: SourceCodeLocation?

    /// The path of the file to blame, if there is one.
    public var filePath: String? { location.map { "\($0.filePath)" } }

    /// The line to blame, if there is one.
    public var line: Int? { location?.line }

    init(_ message: String, at location: SourceCodeLocation?) {
        self.message = message
        self.location = location
    }

    /// A route that can do nothing as it was written.
    init(wrongRoute problem: String, at location: SourceCodeLocation?) {
        self.init("A route is wrong: \(problem)", at: location)
    }

    func appending(_ text: String) -> TestFailure {
        TestFailure(message + text, at: location)
    }

    /// Makes the running test fail.
    ///
    /// Neither framework sees the failures of the other, so the one that runs the test is asked. To
    /// be told of the right test, this has to be called from the test's own task.
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
            XCTFail(message)
        }
        #endif
    }
}

extension TestFailure: CustomStringConvertible {
    /// The place and the message.
    public var description: String { (location.map { "\($0.text): " } ?? "") + message }
}
