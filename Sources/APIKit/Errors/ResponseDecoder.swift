import Foundation

/// A decoder of response bodies: `JSONDecoder`, `PropertyListDecoder`, or one of your own.
public protocol ResponseDecoder: Sendable {
    /// Decodes a value from the body of a response.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: ResponseDecoder {}
extension PropertyListDecoder: ResponseDecoder {}

extension ResponseDecoder {
    /// Decodes an output, or returns the body itself for `Data` and `String`.
    // Data, texts and optionals of decodable types are themselves decodable, so separate extensions
    // of `APIRequest` for them would be ambiguous.
    func output<Output: Decodable>(from data: Data) throws -> Output {
        if Output.self == Data.self, let output = data as? Output { return output }
        if Output.self == String.self {
            if let output = try data.decodedText(in: BodyText.charset) as? Output { return output }
        }
        // Rails sends a space in place of an empty body.
        if data.allSatisfy(" \t\r\n".utf8.contains),
            let optional = Output.self as? any ExpressibleByNilLiteral.Type,
            let empty = optional.init(nilLiteral: ()) as? Output
        {
            return empty
        }
        return try decode(Output.self, from: data)
    }
}
