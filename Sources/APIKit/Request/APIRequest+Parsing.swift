import Foundation

extension APIRequest where ResponseDataType: Decodable {
    /// Decodes the body with the request's ``APIRequest/decoder``.
    ///
    /// An empty body, such as that of a 204, is `nil` if the output is optional.
    public func parseResponse(data: Data) throws -> ResponseDataType {
        // An optional of a decodable type is itself decodable, so the compiler would never choose a
        // separate extension for optionals.
        if data.isEmpty,
            let optional = ResponseDataType.self as? any ExpressibleByNilLiteral.Type,
            let empty = optional.init(nilLiteral: ()) as? ResponseDataType
        {
            return empty
        }
        return try decoder.decode(ResponseDataType.self, from: data)
    }
}

extension APIRequest where ResponseDataType == Data {
    /// Returns the body unchanged.
    public func parseResponse(data: Data) throws -> Data { data }
}

extension APIRequest where ResponseDataType == String {
    /// Returns the body as UTF-8 text, or throws a `DecodingError` if it is not valid UTF-8.
    public func parseResponse(data: Data) throws -> String {
        guard let text = String(data: data, encoding: .utf8) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "The body is not UTF-8 text."))
        }
        return text
    }
}

extension APIRequest where ResponseDataType == Void {
    /// Ignores the body.
    public func parseResponse(data: Data) throws {}
}
