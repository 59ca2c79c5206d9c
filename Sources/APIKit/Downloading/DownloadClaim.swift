import Foundation

/// The right to download to a file, which one download at a time has.
struct DownloadClaim {
    private static let taken = Locked<Set<URL>>([])

    private let file: URL

    /// Takes the right to a file that can be written, as far as can be known before.
    init(to file: URL, for request: URLRequest) throws {
        guard file.isFileURL, !file.lastPathComponent.isEmpty else {
            throw APIError(
                .invalidRequest("\(file.absoluteString) is not the URL of a file"),
                request: request)
        }
        let manager = FileManager.default
        var isDirectory: ObjCBool = false
        if manager.fileExists(atPath: file.path, isDirectory: &isDirectory), isDirectory.boolValue {
            throw APIError(.file(file), request: request, underlying: POSIXError(.EISDIR))
        }
        let directory = file.deletingLastPathComponent()
        guard manager.fileExists(atPath: directory.path, isDirectory: &isDirectory),
            isDirectory.boolValue
        else {
            throw APIError(.file(file), request: request, underlying: POSIXError(.ENOENT))
        }
        // By whatever name it goes, the directory is one.
        self.file = directory.resolvingSymlinksInPath().appendingPathComponent(
            file.lastPathComponent)
        guard Self.taken.withLock({ [self] in $0.insert(self.file).inserted }) else {
            throw APIError(
                .invalidRequest("another download to \(file.path) is under way"), request: request)
        }
    }

    func release() {
        Self.taken.withLock { _ = $0.remove(file) }
    }
}
