extension String {
    /// The same text on one line, with a space for whatever could steer a terminal.
    ///
    /// Names and explanations come from servers, which may say anything.
    var oneLine: String {
        var scalars = UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: scalars.append(" ")
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
