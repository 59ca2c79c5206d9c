import APIKit

extension String {
    /// The mistake in the text as the name of a header field, if there is one.
    var problemAsHeaderName: String? {
        HTTPToken.isValid(self)
            ? nil
            : "\(debugDescription) is not a valid header name. Use a token, such as X-Trace-ID"
    }
}
