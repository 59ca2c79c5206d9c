import APIKit
import Foundation

/// The end of a run that failed: what to say and which status to exit with.
struct Failure: Sendable, Equatable {
    /// One line for standard error.
    let line: String

    /// 64 where the arguments are wrong, as in sysexits.h, and 1 where the load failed.
    let exitStatus: Int32

    /// Creates the end that an error leads to.
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
    /// What the server says about a refusal, if it does so in the way of the atlas.
    fileprivate var refusal: Refusal? {
        guard case .status = kind else { return nil }
        do {
            return try decodeBody(Refusal.self)
        } catch {
            // Servers are free to explain themselves in any other way, or not at all.
            return nil
        }
    }
}
