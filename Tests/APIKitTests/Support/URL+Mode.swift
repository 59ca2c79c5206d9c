import Foundation

extension URL {
    /// The permissions of the file at this URL.
    var mode: Int? {
        get throws {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
    }

    func setMode(_ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}
