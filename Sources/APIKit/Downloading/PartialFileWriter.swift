import Foundation

/// The right of one attempt to write to a partial file, until a later attempt starts.
struct PartialFileWriter: Sendable {
    /// The bytes in the file, to which the rest of the resource can be appended.
    struct Start {
        let size: Int
        let version: PartialVersion
    }

    let file: PartialFile
    let attempt: Int

    /// Returns the bytes in the file if they are the start of a representation.
    func start(of identity: RepresentationIdentity) throws -> Start? {
        try file.update(by: attempt) { contents, _ in
            guard contents.size > 0, let version = contents.version, version.matches(identity)
            else { return nil }
            return Start(size: contents.size, version: version)
        }
    }

    /// Empties the file, and stores the version of the bytes to come.
    func restart(as version: PartialVersion?) throws {
        try file.update(by: attempt) { contents, versionURL in
            try contents.discard(versionURL)
            try contents.file.truncate(atOffset: 0)
            contents.size = 0
            contents.completedBy = nil
            if let version, version.isStored { try version.write(to: versionURL) }
            contents.version = version
        }
    }

    /// Appends a chunk.
    func write(_ chunk: Data) throws {
        try file.update(by: attempt) { contents, _ in
            try contents.file.write(contentsOf: chunk)
            contents.size += chunk.count
        }
    }

    /// Marks the body as complete, so that a later download does not continue it.
    func complete() throws {
        try file.update(by: attempt) { contents, versionURL in
            try contents.discard(versionURL)
            contents.completedBy = attempt
        }
    }

    /// Prevents a later download from continuing the file.
    func discard() throws {
        try file.update(by: attempt) { contents, versionURL in try contents.discard(versionURL) }
    }
}

extension PartialFile.Contents {
    fileprivate mutating func discard(_ versionURL: URL) throws {
        version = nil
        try versionURL.removeName()
    }
}
