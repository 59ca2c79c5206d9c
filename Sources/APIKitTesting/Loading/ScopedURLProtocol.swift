import APIKit
import Foundation

/// The protocol class of one configuration of one server.
///
/// A protocol cannot find its session, but it knows its class. The generic argument of the class
/// spells a number in binary, and no number is used twice. A copied configuration keeps the class,
/// and requests need no extra header field. A class costs 4 µs and about a kilobyte, which is never
/// freed.
final class ScopedURLProtocol<Number>: MockURLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }

    override class func load(
        _ request: URLRequest, body: Data, on delivery: Delivery
    ) throws -> [LoadingEvent]? {
        guard let url = request.url else { throw URLError(.badURL) }
        guard let scope = Scope.all.withLock({ $0.table[ObjectIdentifier(self)] }),
            let server = scope.server
        else { throw MockLoadingError.serverIsGone(url) }
        return try server.load(request, url: url, body: body, in: scope, on: delivery)
    }
}

/// The server of a scoped protocol class.
protocol ScopeServer: AnyObject, Sendable {
    /// Loads a request.
    ///
    /// - Returns: The events of a plain reply, or `nil` if the delivery receives the events later.
    func load(
        _ request: URLRequest, url: URL, body: Data, in scope: Scope, on delivery: Delivery
    ) throws -> [LoadingEvent]?
}

/// The sessions with one scoped protocol class.
struct Scope: Sendable {
    fileprivate static let all = Locked(State())

    fileprivate struct State {
        var table: [ObjectIdentifier: Scope] = [:]
        var nextNumber = 1
    }

    fileprivate(set) weak var server: (any ScopeServer)?
    /// The session, if the server made it.
    private(set) weak var session: URLSession?
    let configuration: URLSessionConfiguration
    let network: Network

    /// Returns a new protocol class for the sessions of a configuration.
    static func makeClass(
        for server: any ScopeServer, configuration: URLSessionConfiguration
    ) -> MockURLProtocol.Type {
        all.withLock { state in
            let type = makeClass(state.nextNumber, Root.self)
            state.nextNumber += 1
            state.table[ObjectIdentifier(type)] = Scope(
                server: server, configuration: configuration, network: Network(configuration))
            return type
        }
    }

    /// Sets the session that the server made with a class.
    static func setSession(_ session: URLSession, of type: MockURLProtocol.Type) {
        all.withLock { $0.table[ObjectIdentifier(type)]?.session = session }
    }

    static func remove(_ types: [ObjectIdentifier]) {
        all.withLock { state in
            for type in types { state.table[type] = nil }
        }
    }

    private static func makeClass<Number>(
        _ number: Int, _: Number.Type
    ) -> MockURLProtocol.Type {
        if number == 0 { return ScopedURLProtocol<Number>.self }
        return number.isMultiple(of: 2)
            ? makeClass(number >> 1, Zero<Number>.self) : makeClass(number >> 1, One<Number>.self)
    }
}

private enum Root {}
private enum Zero<Rest> {}
private enum One<Rest> {}
