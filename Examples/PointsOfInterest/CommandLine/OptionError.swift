/// An error in the arguments of the program.
enum OptionError: Error, Equatable {
    /// The option does not exist.
    case unknownOption(String)

    /// The argument is neither an option nor the value of an option.
    case strayArgument(String)

    /// The option has no value but needs one.
    case missingValue(option: String)

    /// The option has a value but takes none.
    case unexpectedValue(option: String)

    /// The value of the option is not valid.
    case invalidValue(String, option: String, needs: String)

    /// The options cannot be combined.
    case conflict(String, String)
}

extension OptionError: CustomStringConvertible {
    /// A sentence that names the argument and describes a valid one.
    var description: String {
        switch self {
        case .unknownOption(let option):
            "The option \(option) does not exist. --help lists the options."
        case .strayArgument(let argument):
            "\"\(argument)\" is not an option. --help lists the options."
        case .missingValue(let option):
            "\(option) needs a value. --help lists the options."
        case .unexpectedValue(let option):
            "\(option) takes no value."
        case .invalidValue(let value, let option, let needs):
            "\(option) needs \(needs), not \"\(value)\"."
        case .conflict(let first, let second):
            "\(first) and \(second) cannot be combined."
        }
    }
}
