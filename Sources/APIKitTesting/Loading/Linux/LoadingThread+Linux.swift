import APIKit
import Foundation

#if canImport(FoundationNetworking)

/// The queue on which the client of a URL protocol has to be called.
///
/// All sessions of the process share one queue, which is not public. If reflection does not find it,
/// the task is suspended and resumed: corelibs then calls `startLoading` on that queue again, which
/// is slower.
struct LoadingThread: @unchecked Sendable {
    private let task: URLSessionTask?
    private let queue: DispatchQueue?

    private static let queue =
        Reflection.property("workQueue", of: URLSession(configuration: .ephemeral))
        as? DispatchQueue

    init(of urlProtocol: URLProtocol) {
        self.init(task: urlProtocol.task, queue: LoadingThread.queue)
    }

    init(task: URLSessionTask?, queue: DispatchQueue?) {
        self.task = task
        self.queue = queue
    }

    func run(_ work: @escaping @Sendable () -> Void) {
        if let queue {
            queue.async(execute: work)
        } else {
            task?.suspend()
            task?.resume()
        }
    }
}

#endif
