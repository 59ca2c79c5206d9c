import Foundation

extension Data {
    /// Returns bytes with a period of 251, so that no two parts of a usual size are equal.
    ///
    /// In a debug build, a closure for each byte of a large body takes longer than its test.
    static func periodic(_ count: Int) -> Data {
        var data = Data((0..<251).map { UInt8($0) })
        while data.count < count { data += data }
        return Data(data.prefix(count))
    }
}
