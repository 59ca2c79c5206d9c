import Foundation

/// Makes the tasks of a transfer, and is their delegate.
protocol TransferTasks: URLSessionTaskDelegate {
    /// The session for the first task.
    var firstSession: URLSession { get }

    /// Returns a task for a request, not started yet, which some redirects have led to.
    func makeTask(for request: URLRequest, in session: URLSession, hop: Int) -> URLSessionTask
}
