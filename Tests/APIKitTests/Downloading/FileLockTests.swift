import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn) struct FileLockTests {
    /// Between `fork` and `exec`, a child process holds a copy of the descriptor.
    @Test func lockEndsWhileACopyOfItsDescriptorIsOpen() throws {
        let folder = try TemporaryDirectory()
        let file = try #require(try FileHandle.locked(folder.url("file")))
        let copy = dup(file.fileDescriptor)
        try #require(copy >= 0)
        defer { close(copy) }
        #expect(try FileHandle.locked(folder.url("file")) == nil)

        try file.unlock()

        #expect(try FileHandle.locked(folder.url("file")) != nil)
    }
}
