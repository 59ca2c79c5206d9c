import APIKit
import Foundation

/// The message and the exit status of a run that failed.
struct Failure: Sendable, Equatable {
    /// The message for standard error.
    let message: String

    /// 64 if the arguments are invalid (`EX_USAGE` in sysexits.h), and otherwise 1.
    let exitStatus: Int32

    /// Creates the message and the exit status for an error.
    init(_ error: any Error) {
        switch error {
        case is OptionError, is RequestError:
            exitStatus = 64
        default:
            exitStatus = 1
        }
        message = Self.text(of: error)
    }

    private static func text(of error: any Error) -> String {
        switch error {
        case let error as APIError:
            [error.description, error.advice].compactMap(\.self).joined(separator: " ")
        case is CocoaError, is POSIXError:
            "The output cannot be written: \((error as NSError).systemText)."
        default:
            "\(error)"
        }
    }
}

extension NSError {
    /// The system's text for an error number, because Foundation's texts do not say what happened.
    fileprivate var systemText: String {
        let cause = (userInfo[NSUnderlyingErrorKey] as? any Error ?? self) as NSError
        guard cause.domain == NSPOSIXErrorDomain else { return localizedDescription }
        return String(cString: strerror(Int32(clamping: cause.code)))
    }
}

extension APIError {
    /// What the user can do, or `nil`.
    fileprivate var advice: String? {
        switch kind {
        case .decoding: "--help shows the JSON that a server has to send."
        case .deadline: "--deadline allows more time."
        default: nil
        }
    }
}
