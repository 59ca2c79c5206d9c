import Foundation
import Testing

@testable import APIKit

@Suite struct FileLockTests {
    /// A child process holds such a copy between `fork` and `exec`.
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
