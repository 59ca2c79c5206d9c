import APIKit
import Foundation

/// An observer that tells of each request and of its outcome on standard error.
struct ConsoleObserver: APIObserver {
    /// What the lines are handed to.
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
        // The reason is the last line of the program, and nobody wants to read it twice.
        write("= failed")
    }

    private func text(of url: URL?) -> String {
        guard let url, var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return "" }
        // People paste such lines into bug reports.
        components.password = nil
        return components.string ?? ""
    }
}
