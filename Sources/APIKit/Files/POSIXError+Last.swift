import Foundation

extension POSIXError {
    /// The error of the last call of the system that failed on this thread.
    static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
