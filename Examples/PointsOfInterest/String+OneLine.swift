extension String {
    /// The text on one line, with a space in place of each control character.
    ///
    /// Text from a server could otherwise control the terminal.
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
