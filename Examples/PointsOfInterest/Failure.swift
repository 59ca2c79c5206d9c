import APIKit
import Foundation

/// The message and the exit status of a run that failed.
struct Failure: Sendable, Equatable {
    /// The message for standard error, on one line.
    let line: String

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
        line = Self.text(of: error).oneLine
    }

    private static func text(of error: any Error) -> String {
        switch error {
        case let error as APIError:
            "\(error)\(error.refusal.map { " The server says \"\($0.error)\"." } ?? "")"
        case let error as CocoaError:
            "The output cannot be written: \(error.localizedDescription)"
        default:
            "\(error)"
        }
    }
}

extension APIError {
    /// The server's description of a refusal, if it has the format of the atlas.
    fileprivate var refusal: Refusal? {
        guard case .status = kind else { return nil }
        do {
            return try decodeBody(Refusal.self)
        } catch {
            // A server may use another format, or send no description.
            return nil
        }
    }
}
