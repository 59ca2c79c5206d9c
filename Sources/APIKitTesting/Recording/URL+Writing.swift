import APIKit
import Foundation

extension URL {
    /// Runs a closure under an exclusive lock on this folder, for all threads and processes.
    ///
    /// - Parameters:
    ///   - delay: How long another owner of the lock may keep it before the notice.
    ///   - notify: Receives the line that tells why nothing happens.
    ///   - body: The closure.
    /// - Throws: The error of the system or of the closure.
    func whileLocked(
        noticeAfter delay: DispatchTimeInterval = .seconds(2),
        notify: @escaping @Sendable (String) -> Void = Notice.write,
        _ body: () throws -> Void
    ) throws {
        // A child process with the descriptor would keep the lock.
        let descriptor = open(path(percentEncoded: false), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError.last }
        // Closing the only descriptor releases the lock.
        defer { close(descriptor) }
        let notice = DispatchWorkItem { [self] in
            notify("Waiting for another process, which has locked \(path(percentEncoded: false))")
        }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            // Not on a global queue: tests that wait for the lock may block all of its threads.
            DispatchQueue(label: "APIKitTesting.Notice")
                .asyncAfter(deadline: .now() + delay, execute: notice)
        }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw POSIXError.last }
        }
        notice.cancel()
        try body()
    }

    /// Replaces the content of this file in one step, and keeps its permissions and a link to it.
    ///
    /// If there is no file, it creates one with the usual permissions, also where a link points to.
    func replaceContent(with data: Data) throws {
        let file = try linkedFile()
        let mode = try file.status().map { $0.st_mode & 0o777 }
        let new = file.deletingLastPathComponent().appending(path: ".\(UUID().uuidString)")
        do {
            let handle = try new.openFile(
                O_WRONLY | O_CREAT | O_EXCL, permissions: mode ?? 0o666)
            if let mode { try handle.setMode(mode) }
            try handle.write(contentsOf: data)
            try handle.close()
            try new.move(to: file)
        } catch {
            // Report this error, not the cleanup's.
            try? new.removeName()
            // The caller names the recording.
            throw (error as? APIError)?.underlying ?? error
        }
    }

    /// Returns the file to which this link points, even if it is missing, or this file.
    private func linkedFile() throws -> URL {
        var file = self
        // The system follows at most 40 links (path_resolution(7)).
        for _ in 0..<40 {
            guard let status = try file.status(), status.st_mode & S_IFMT == S_IFLNK else {
                return file
            }
            let target = try FileManager.default.destinationOfSymbolicLink(
                atPath: file.path(percentEncoded: false))
            // The system resolves `..` in a path: a folder in it may be a link too.
            file =
                target.hasPrefix("/")
                ? URL(filePath: target) : file.deletingLastPathComponent().appending(path: target)
        }
        throw POSIXError(.ELOOP)
    }
}
