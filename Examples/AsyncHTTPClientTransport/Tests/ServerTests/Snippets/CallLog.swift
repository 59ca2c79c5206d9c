// snippet.logging
import APIKit
import Logging

/// An observer that logs the end of a call, with its fields as metadata.
func logging(_ call: APICall, to logger: Logger) -> LogObserver {
    LogObserver(call) { entry in
        var metadata: Logger.Metadata = [
            "request": "\(type(of: call.apiRequest))",
            "method": "\(entry.method)",
            "url": "\(entry.url)", "attempts": "\(entry.attempts)",
            "milliseconds": "\(entry.duration / .milliseconds(1))",
        ]
        metadata["status"] = entry.status.map { "\($0)" }
        metadata["bytes"] = entry.byteCount.map { "\($0)" }
        metadata["reason"] = entry.reason.map { "\($0)" }
        let isFailure = entry.error.map { !($0 is CancellationError) } ?? false
        logger.log(
            level: isFailure ? .warning : .info, "The call has ended.",
            metadata: metadata)
    }
}
// snippet.end
