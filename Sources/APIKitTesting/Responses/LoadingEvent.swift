import Foundation

/// What a load tells its client.
enum LoadingEvent: Sendable {
    case response(HTTPURLResponse)
    /// A body, whole.
    case body(Data)
    /// A part of a body that comes in parts.
    case chunk(Data)
    case finished
    case failed(any Error)
}
