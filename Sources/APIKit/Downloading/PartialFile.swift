import Foundation

/// What has arrived of a download, beside the file that it will become.
///
/// For `report.pdf` it is `.report.pdf.partial`, and `.report.pdf.partial-of` says of what.
struct PartialFile: Sendable {
    /// What a partial file is a part of: the state of a resource that a validator names.
    struct Version: Codable, Equatable {
        /// The URL, without the secrets in it, which have no business on a disk.
        let resource: String
        /// An `ETag` or a `Last-Modified`, for `If-Range`.
        let validator: String
    }

    /// What there is of a resource, which the rest may be added to.
    struct Start {
        let size: Int
        let version: Version
    }

    let destination: URL
    let url: URL
    private let versionURL: URL

    init(of destination: URL) {
        self.destination = destination
        let directory = destination.deletingLastPathComponent()
        let name = ".\(destination.lastPathComponent).partial"
        url = directory.appendingPathComponent(name)
        versionURL = directory.appendingPathComponent("\(name)-of")
    }

    /// What there is of a resource, if there is anything that may be added to.
    func start(of resource: String) -> Start? {
        // Without one of the two files, or with one that makes no sense, there is nothing to add to.
        guard let data = try? Data(contentsOf: versionURL),
            let version = try? JSONDecoder().decode(Version.self, from: data),
            version.resource == resource,
            let size = try? FileReader(url).size, size > 0
        else { return nil }
        return Start(size: size, version: version)
    }

    /// Opens the file to write to it, empty or at its end.
    func open(appending: Bool, as version: Version?) throws -> FileHandle {
        if !appending {
            try remove()
            try Data().write(to: url)
            if let version { try JSONEncoder().encode(version).write(to: versionURL) }
        }
        let file = try FileHandle(forWritingTo: url)
        try file.seekToEnd()
        return file
    }

    /// Puts the file into its place, where it replaces whatever is there in one step.
    func finish() throws {
        try remove(versionURL)
        guard rename(url.path, destination.path) == 0 else { throw POSIXError.last }
    }

    /// Removes what there is.
    func remove() throws {
        try remove(versionURL)
        try remove(url)
    }

    // A directory by that name is somebody else's, and stays.
    private func remove(_ file: URL) throws {
        guard unlink(file.path) == 0 || errno == ENOENT else { throw POSIXError.last }
    }
}
