// snippet.logging
import APIKit
import Logging

/// An observer that logs the end of a call, with its fields as metadata.
func logging(_ call: APICall, to logger: Logger) -> LogObserver {
    LogObserver(entryOf: call) { entry in
        var metadata: Logger.Metadata = [
            "request": "\(type(of: call.apiRequest))",
            "method": "\(entry.method)",
            "url": "\(entry.url)", "attempts": "\(entry.attempts)",
            "milliseconds": "\(entry.duration / .milliseconds(1))",
        ]
        metadata["status"] = entry.status.map { "\($0)" }
        metadata["bytes"] = entry.byteCount.map { "\($0)" }
        switch entry.outcome {
        case .success:
            logger.info("The call succeeded.", metadata: metadata)
        case .failure(_, let reason):
            metadata["reason"] = "\(reason)"
            logger.warning("The call failed.", metadata: metadata)
        case .cancellation:
            logger.info("The call was canceled.", metadata: metadata)
        }
    }
}
// snippet.end
