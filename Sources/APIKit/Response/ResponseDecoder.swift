import Foundation

/// A decoder of response bodies: `JSONDecoder`, `PropertyListDecoder`, or one of your own.
public protocol ResponseDecoder: Sendable {
    /// Decodes a value from the body of a response.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: ResponseDecoder {}
extension PropertyListDecoder: ResponseDecoder {}
