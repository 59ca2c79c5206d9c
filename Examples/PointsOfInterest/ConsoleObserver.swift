import APIKit
import Foundation

/// An observer that writes each request and its result to standard error.
struct ConsoleObserver: APIObserver {
    /// The function that writes a line.
    var write: @Sendable (String) -> Void = Console.error

    func requestSent(_ request: URLRequest, attempt: Int) {
        write("> \(request.httpMethod ?? "GET") \(text(of: request.url))")
    }

    func responseReceived<Body: Sendable>(_ response: APIResponse<Body>, attempt: Int) {
        let size = (response.value as? Data).map { ", \($0.count) bytes" } ?? ""
        write("< \(response.statusCode)\(size)")
    }

    func callSucceeded<Value: Sendable>(with response: APIResponse<Value>) {
        let points = response.value as? [PointOfInterest] ?? []
        write("= \(points.count) points of interest")
    }

    func callFailed(with error: any Error) {
        // The program prints the error itself at its end.
        write("= failed")
    }

    private func text(of url: URL?) -> String {
        guard let url, var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return "" }
        // Users paste these lines into bug reports.
        components.password = nil
        return components.string ?? ""
    }
}
