import Foundation

extension URL {
    /// Whether the URL refers to an open file.
    func isName(of file: FileHandle) throws -> Bool {
        let (mine, open) = (try status(), try file.status())
        return mine?.st_dev == open.st_dev && mine?.st_ino == open.st_ino
    }

    /// The status of the file at this URL, if there is one.
    func status(following: Bool = false) throws -> stat? {
        try withPath { path in
            var status = stat()
            if (following ? stat(path, &status) : lstat(path, &status)) == 0 { return status }
            guard errno == ENOENT else { throw POSIXError.last }
            return nil
        }
    }

    /// Renames the file, and replaces any file that already has the new name.
    func move(to other: URL) throws {
        try withPath { path in
            try other.withPath { newPath in
                guard rename(path, newPath) == 0 else { throw POSIXError.last }
            }
        }
    }

    /// Deletes the file or link with this name, if there is one, but no directory.
    func removeName() throws {
        try withPath { path in
            guard unlink(path) == 0 || errno == ENOENT else { throw POSIXError.last }
        }
    }
}

extension FileHandle {
    /// Changes the permissions of the open file if they differ.
    func changeMode(to mode: mode_t) throws {
        // A volume without permissions refuses every change.
        guard try status().st_mode & 0o777 != mode else { return }
        guard fchmod(fileDescriptor, mode) == 0 else { throw POSIXError.last }
    }

    /// The status of the open file.
    func status() throws -> stat {
        var status = stat()
        guard fstat(fileDescriptor, &status) == 0 else { throw POSIXError.last }
        return status
    }
}

extension stat {
    /// Whether the file is a regular file of this user without access for others.
    ///
    /// In a directory that others can write to, the name may refer to a file of another user, or be
    /// a hard link to another file of this user.
    var isPrivate: Bool {
        st_mode & S_IFMT == S_IFREG && st_mode & 0o077 == 0 && st_uid == geteuid() && st_nlink == 1
    }
}
