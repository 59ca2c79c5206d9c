import APIKit
import Foundation

/// The server of each scoped protocol class.
enum ScopeRegistry {
    struct Scope: Sendable {
        weak var server: MockServer?
        /// The session, if the server made it.
        weak var session: URLSession?
        let configuration: URLSessionConfiguration
    }

    private struct State {
        var scopes: [ObjectIdentifier: Scope] = [:]
        var nextNumber = 1
    }

    private static let state = Locked(State())

    static func makeScope(
        for server: MockServer, configuration: URLSessionConfiguration
    ) -> MockURLProtocol.Type {
        let number = state.withLock { state in
            defer { state.nextNumber += 1 }
            return state.nextNumber
        }
        let scope = makeClass(number, Root.self)
        state.withLock {
            $0.scopes[ObjectIdentifier(scope)] = Scope(
                server: server, configuration: configuration)
        }
        return scope
    }

    static func scope(of type: MockURLProtocol.Type) -> Scope? {
        state.withLock { $0.scopes[ObjectIdentifier(type)] }
    }

    /// Sets the session that the server made with a scope.
    static func setSession(_ session: URLSession, of type: MockURLProtocol.Type) {
        state.withLock { $0.scopes[ObjectIdentifier(type)]?.session = session }
    }

    static func remove(_ scopes: [ObjectIdentifier]) {
        state.withLock { state in
            for scope in scopes { state.scopes[scope] = nil }
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
