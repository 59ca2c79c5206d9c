/// A reason why the arguments of the program make no sense.
enum OptionError: Error, Equatable {
    /// There is no such option.
    case unknownOption(String)

    /// An argument is neither an option nor the value of one.
    case strayArgument(String)

    /// The option stands without the value that it needs.
    case missingValue(option: String)

    /// The option has a value but takes none.
    case unexpectedValue(option: String)

    /// The option has a value other than it needs.
    case invalidValue(String, option: String, needs: String)

    /// The options cannot be given together.
    case conflict(String, String)
}

extension OptionError: CustomStringConvertible {
    /// One sentence that names the argument and says what would be right.
    var description: String {
        switch self {
        case .unknownOption(let option):
            "There is no option \(option); --help lists them all."
        case .strayArgument(let argument):
            "\"\(argument)\" is not an option; --help lists them all."
        case .missingValue(let option):
            "\(option) needs a value; --help says which."
        case .unexpectedValue(let option):
            "\(option) takes no value."
        case .invalidValue(let value, let option, let needs):
            "\(option) needs \(needs), not \"\(value)\"."
        case .conflict(let first, let second):
            "\(first) and \(second) cannot be given together."
        }
    }
}
