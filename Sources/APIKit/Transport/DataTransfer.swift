import Foundation

/// A load of a response as a whole.
///
/// The system's own `data(for:)` would do on Apple platforms. On Linux it can block every session
/// of the process when a task is cancelled as its answer arrives
/// (https://github.com/swiftlang/swift-corelibs-foundation/issues/5412), and two ways of loading
/// would have to be kept alike; the task with a completion handler has neither problem.
final class DataTransfer: NSObject, TransferTasks {
    let transfer: Transfer
    var firstSession: URLSession { transfer.session }

    init(in session: URLSession, redirects: RedirectPolicy) {
        transfer = Transfer(in: session, redirects: redirects)
    }

    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        let answer = Waiter<(Data, URLResponse)>()
        return try await withTaskCancellationHandler {
            transfer.start(request, by: self) { answer.answer($0) }
            return try await answer.value
        } onCancel: {
            transfer.cancel()
        }
    }

    func makeTask(for request: URLRequest, in session: URLSession, hop: Int) -> URLSessionTask {
        let task = session.dataTask(with: request) { [transfer] data, response, error in
            // The redirect itself was an answer too, but not the one to return.
            guard transfer.isCurrent(hop) else { return }
            if let error {
                transfer.finish(.failure(error.asOnEveryPlatform()))
            } else if let response {
                transfer.finish(.success((data ?? Data(), response)))
            } else {
                transfer.finish(.failure(URLError(.badServerResponse)))
            }
        }
        task.delegate = self
        return task
    }
}
