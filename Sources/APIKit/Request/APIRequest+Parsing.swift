import Foundation

extension APIRequest {
    /// Fails to compile, with a message that names the remedy, if no default below applies.
    ///
    /// Without it, the compiler reports that the request type does not conform, and never mentions
    /// the isolation of the output.
    @available(
        *, unavailable,
        message: """
            The output is not Decodable, Data, String or Void outside the main actor. \
            Declare it as `nonisolated struct …: Decodable`, or implement `parseResponse(data:)`.
            """
    )
    public func parseResponse(data: Data) throws -> ResponseDataType {
        preconditionFailure("The compiler rejects every use of this function.")
    }
}

extension APIRequest {
    /// Fails to compile, with a message that gives the signature, if no other function applies.
    ///
    /// Without it, the compiler reports the function above, because it cannot infer the input. The
    /// default `Void` of the input has the same purpose.
    @available(
        *, unavailable,
        message: """
            Implement `func makeRequest(from input: Input) throws -> URLRequest`, with one \
            parameter, its label and without `async`. `Input` is a type of yours, or Void.
            """
    )
    public func makeRequest(from data: RequestDataType) throws -> URLRequest {
        preconditionFailure("The compiler rejects every use of this function.")
    }
}

extension APIRequest where ResponseDataType: Decodable, DecoderType == any ResponseDecoder {
    /// Decodes the body with the ``decoder``.
    ///
    /// The output `Data` is the body itself. The output `String` is the body as text: in UTF-8, or
    /// else in the charset of the response, if that is UTF-16, US-ASCII, ISO 8859-1 or -2,
    /// Windows-1250 through -1254, Shift_JIS, EUC-JP or ISO-2022-JP. US-ASCII and ISO 8859-1 are read as
    /// Windows-1252, as browsers do. If the output is optional, an empty body, such as after a 204, is
    /// `nil`.
    ///
    /// - Throws: The error of the decoder, and a `DecodingError` for a text that cannot be decoded.
    public func parseResponse(data: Data) throws -> ResponseDataType {
        try decoder.output(from: data)
    }
}

extension APIRequest where ResponseDataType: Decodable, DecoderType: ResponseDecoder {
    /// Decodes the body with the ``decoder``.
    ///
    /// The output `Data` is the body itself. The output `String` is the body as text: in UTF-8, or
    /// else in the charset of the response, if that is UTF-16, US-ASCII, ISO 8859-1 or -2,
    /// Windows-1250 through -1254, Shift_JIS, EUC-JP or ISO-2022-JP. US-ASCII and ISO 8859-1 are read as
    /// Windows-1252, as browsers do. If the output is optional, an empty body, such as after a 204, is
    /// `nil`.
    ///
    /// - Throws: The error of the decoder, and a `DecodingError` for a text that cannot be decoded.
    public func parseResponse(data: Data) throws -> ResponseDataType {
        try decoder.output(from: data)
    }
}

extension APIRequest where ResponseDataType == Void {
    /// Ignores the body.
    public func parseResponse(data: Data) throws {}
}
