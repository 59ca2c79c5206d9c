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

    let place: SourcePlace?

    /// The path of the file to blame, if there is one.
    public var filePath: String? { place.map { "\($0.filePath)" } }

    /// The line to blame, if there is one.
    public var line: Int? { place?.line }

    init(_ message: String, at place: SourcePlace?) {
        self.message = message
        self.place = place
    }

    /// A route that can do nothing as it was written.
    init(wrongRoute problem: String, at place: SourcePlace?) {
        self.init("A route is wrong: \(problem)", at: place)
    }

    func appending(_ text: String) -> TestFailure {
        TestFailure(message + text, at: place)
    }

    /// Makes the running test fail.
    ///
    /// Neither framework sees the failures of the other, so the one that runs the test is asked. To
    /// be told of the right test, this has to be called from the test's own task.
    func record() {
        #if canImport(Testing)
        if let test = Test.current {
            let location = place.map {
                SourceLocation(
                    fileID: $0.fileID, filePath: "\($0.filePath)", line: $0.line, column: $0.column)
            }
            Issue.record(
                Comment(rawValue: message), sourceLocation: location ?? test.sourceLocation)
            return
        }
        #endif
        #if canImport(XCTest)
        if let place {
            XCTFail(message, file: place.filePath, line: UInt(place.line))
        } else {
            XCTFail(message)
        }
        #endif
    }
}

extension TestFailure: CustomStringConvertible {
    /// The place and the message.
    public var description: String { (place.map { "\($0.text): " } ?? "") + message }
}
