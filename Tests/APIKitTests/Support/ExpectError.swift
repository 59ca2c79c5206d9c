import APIKit
import Foundation
import Testing

/// Expects a closure to throw an `APIError` of a kind, and returns the error.
///
/// With a code, the underlying error must be a `URLError` of that code.
@discardableResult
func expectError(
    _ kind: APIError.Kind, _ code: URLError.Code? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    from body: () async throws -> some Any
) async -> APIError? {
    let error = await #expect(throws: APIError.self, sourceLocation: sourceLocation) {
        _ = try await body()
    }
    check(error, kind, code, sourceLocation)
    return error
}

/// Expects a synchronous closure to throw an `APIError` of a kind, and returns the error.
@discardableResult
func expectError(
    _ kind: APIError.Kind, sourceLocation: SourceLocation = #_sourceLocation,
    from body: () throws -> some Any
) -> APIError? {
    let error = #expect(throws: APIError.self, sourceLocation: sourceLocation) { _ = try body() }
    check(error, kind, nil, sourceLocation)
    return error
}

private func check(
    _ error: APIError?, _ kind: APIError.Kind, _ code: URLError.Code?, _ location: SourceLocation
) {
    #expect(error?.kind == kind, sourceLocation: location)
    guard let code else { return }
    #expect(error?.urlError?.code == code, sourceLocation: location)
}
