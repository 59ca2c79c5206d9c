import Foundation

#if !canImport(FoundationNetworking)

/// The client of a URL protocol.
///
/// Unchecked because only the loading thread uses the protocol.
final class LoadingClient: @unchecked Sendable {
    private weak var urlProtocol: URLProtocol?
    private let thread = LoadingThread()

    /// Creates the client of a protocol, on the thread that started the protocol.
    init(of urlProtocol: URLProtocol) {
        self.urlProtocol = urlProtocol
    }

    /// Runs work on the loading thread, from any thread.
    func run(_ work: @escaping @Sendable () -> Void) { thread.run(work) }

    /// The system itself holds back the events of a suspended task.
    let isSuspended = false

    /// The system calls `stopLoading` only at the end of a load.
    let isStopped = true

    /// Passes an event to the loading system.
    func receive(_ event: LoadingEvent) {
        guard let urlProtocol, let client = urlProtocol.client else { return }
        switch event {
        case .response(let response):
            client.urlProtocol(
                urlProtocol, didReceive: response, cacheStoragePolicy: .notAllowed)
        case .body(let data), .chunk(let data):
            if !data.isEmpty { client.urlProtocol(urlProtocol, didLoad: data) }
        case .finished:
            client.urlProtocolDidFinishLoading(urlProtocol)
        case .failed(let error):
            client.urlProtocol(urlProtocol, didFailWithError: error.carried)
        }
    }
}

#endif
