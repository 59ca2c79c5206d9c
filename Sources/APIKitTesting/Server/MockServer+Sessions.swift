import APIKit
import Foundation

// Apple's documentation of `URLProtocol` says that watchOS supports no custom one, so these sessions
// would reach the network there.
extension MockServer {
    /// The session for the code under test.
    ///
    /// It is ephemeral, has no cache, and has separate cookies. Each access returns the same session.
    /// The session does not retain the server: keep the server while the session is in use.
    @available(watchOS, unavailable, message: "Use the server as the transport.")
    public var session: URLSession {
        ownSession.withLock { session in
            let made = session ?? makeSession()
            session = made
            return made
        }
    }

    /// Returns a new session whose requests go to the server.
    ///
    /// The session has no cache. It does not retain the server: keep the server while the session is
    /// in use. On Apple platforms a session retains its delegate until it is invalidated.
    ///
    /// - Parameters:
    ///   - configuration: The configuration, which is copied.
    ///   - delegate: The delegate of the session.
    ///   - delegateQueue: The queue for the delegate and for completion handlers.
    /// - Returns: The session.
    @available(watchOS, unavailable, message: "Use the server as the transport.")
    public func makeSession(
        configuration: URLSessionConfiguration = .ephemeral,
        delegate: (any URLSessionDelegate)? = nil,
        delegateQueue: OperationQueue? = nil
    ) -> URLSession {
        let configuration = configuration.duplicate
        let scope = addScope(to: configuration)
        let session = URLSession(
            configuration: configuration, delegate: delegate, delegateQueue: delegateQueue)
        SessionScope.setSession(session, of: scope)
        return session
    }

    /// Sends all requests of sessions with this configuration, or a copy of it, to the server.
    ///
    /// Use it for code that makes its own session. The server reads the session's additional header
    /// fields and cookies from this object, so do not change them in a copy. This method removes the
    /// cache from the configuration. The responses of a mock are not cached, and on Linux a session
    /// with a cache can crash the process when a task is canceled. It also replaces
    /// `HTTPCookieStorage.shared`, which a later test would share, by a new storage in memory.
    ///
    /// Sessions do not retain the server: keep the server while they are in use.
    ///
    /// - Important: Set `protocolClasses` before you call this method. A later assignment removes the
    ///   server, and requests then reach the network.
    ///
    /// On Apple platforms a task does not reveal its session. There the server asks only the task's
    /// delegate about a redirect, reports the progress of an upload only to it, and passes it another
    /// session. The policy of `redirecting(_:)` still applies. If the session's delegate handles
    /// redirects or progress, use ``makeSession(configuration:delegate:delegateQueue:)``.
    @available(watchOS, unavailable, message: "Use the server as the transport.")
    public func install(in configuration: URLSessionConfiguration) {
        _ = addScope(to: configuration)
    }

    private func addScope(to configuration: URLSessionConfiguration) -> MockURLProtocol.Type {
        FileLimit.raise()
        configuration.urlCache = nil
        if configuration.httpCookieStorage === HTTPCookieStorage.shared {
            configuration.httpCookieStorage = URLSessionConfiguration.ephemeral.httpCookieStorage
        }
        configuration.useClassicLoading()
        let scope = SessionScope.makeClass(for: self, configuration: configuration)
        configuration.protocolClasses = [scope] + (configuration.protocolClasses ?? [])
        state.withLock { $0.scopes.append(ObjectIdentifier(scope)) }
        return scope
    }
}

/// The sessions that use one protocol class, and their server.
struct SessionScope: Sendable {
    private struct State {
        var table: [ObjectIdentifier: SessionScope] = [:]
        var nextNumber = 1
    }

    private static let all = Locked(State())

    private(set) weak var server: MockServer?
    /// The session, if the server made it.
    private(set) weak var session: URLSession?
    let configuration: URLSessionConfiguration
    let network: Network

    /// Returns a new protocol class for the sessions of a configuration.
    static func makeClass(
        for server: MockServer, configuration: URLSessionConfiguration
    ) -> MockURLProtocol.Type {
        all.withLock { state in
            let type = makeClass(state.nextNumber, Root.self)
            state.nextNumber += 1
            state.table[ObjectIdentifier(type)] = SessionScope(
                server: server, configuration: configuration, network: Network(configuration))
            return type
        }
    }

    /// Returns the scope of a class, or `nil` if its server has been released.
    fileprivate static func of(_ type: MockURLProtocol.Type) -> SessionScope? {
        all.withLock { $0.table[ObjectIdentifier(type)] }
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

/// The protocol class of one configuration of one server.
///
/// A protocol cannot find its session, but it knows its class. The generic argument of the class
/// spells a number in binary, and no number is used twice. A copied configuration keeps the class,
/// and requests need no extra header field. A class costs 4 µs and about a kilobyte, which is never
/// freed.
private final class ScopedURLProtocol<Number>: MockURLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }

    override class func respond(
        to request: URLRequest, body: Data, on delivery: Delivery
    ) throws -> [LoadingEvent] {
        guard let url = request.url else { throw URLError(.badURL) }
        guard let scope = SessionScope.of(self), let server = scope.server
        else { throw MockLoadingError.serverIsGone(url) }
        var request = request
        scope.configuration.updateCookies(
            of: &request, insteadOf: scope.configuration.systemCookies(of: request))
        // Not every platform passes them to a URL protocol.
        scope.configuration.addFields(to: &request)
        var recorded = RecordedRequest(request, url: url, body: body)
        recorded.apiRequest = delivery.apiRequest
        let connection = Exchange.Connection(
            configuration: scope.configuration, network: scope.network,
            redirect: { [weak session = scope.session] response, next in
                await delivery.redirect(after: response, to: next, in: session)
            },
            report: body.isEmpty ? nil : delivery.progressReport(in: scope.session))
        switch server.serve(recorded, on: connection) {
        case .events(let events):
            return events
        case .exchange(let exchange):
            exchange.start(on: delivery)
            return []
        }
    }
}
