extension String {
    /// The text on one line, with a space in place of each control character, and without
    /// characters that set the direction of the text.
    ///
    /// Text from a server could otherwise control the terminal, or reverse the order of the line.
    var oneLine: String {
        var scalars = UnicodeScalarView()
        for scalar in unicodeScalars where !scalar.properties.isBidiControl {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: scalars.append(" ")
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
