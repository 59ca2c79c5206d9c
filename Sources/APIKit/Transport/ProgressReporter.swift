import Foundation

/// Reports progress to a handler, one step at a time.
enum ProgressReporter {
    typealias Report = @Sendable (TransferProgress) -> Void

    /// Runs a transfer, and returns after the handler has received its last step.
    ///
    /// The handler runs on its actor, or else on any thread, and does not delay the transfer. After
    /// the function throws, the handler receives no further step.
    ///
    /// - Parameters:
    ///   - handler: Receives a step if it exceeds the previous step or is the final step.
    ///   - transfer: Reports its steps to its argument, on any thread.
    /// - Returns: The output of the transfer.
    /// - Throws: The error of the transfer.
    static func run<Output>(
        reportingTo handler: ProgressHandler?, _ transfer: (@escaping Report) async throws -> Output
    ) async throws -> Output {
        guard let handler else { return try await transfer { _ in } }
        let (steps, continuation) = AsyncStream.makeStream(of: TransferProgress.self)
        let reports = Task {
            var last: TransferProgress?
            for await step in steps {
                // A canceled task still receives the steps that wait.
                guard !Task.isCancelled else { return }
                let bytes = step.completedBytes
                guard bytes > last?.completedBytes ?? -1 || bytes == step.totalBytes && step != last
                else { continue }
                last = step
                await handler(step)
            }
        }
        do {
            let output = try await transfer { continuation.yield($0) }
            continuation.finish()
            await reports.value
            return output
        } catch {
            reports.cancel()
            // The handler may be in the middle of a step.
            await reports.value
            throw error
        }
    }
}

extension URLSessionTask {
    /// Returns whether a delegate may receive the progress of sending the body.
    package func reportsProgress(in session: URLSession?) -> Bool {
        guard let load = delegate as? Load else {
            return delegate != nil || session?.delegate != nil
        }
        return load.upload != nil || load.sessionDelegate != nil
    }
}
