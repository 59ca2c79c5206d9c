/// A reader of the program's arguments, in order.
struct Arguments {
    private var rest: ArraySlice<String>
    private var option = ""
    private var attachedValue: String?

    /// Creates a reader of arguments that do not include the name of the program.
    init(_ arguments: [String]) {
        rest = arguments[...]
    }

    /// Reads the next option, and stores its attached value, as in `--limit=3`.
    mutating func nextOption() throws -> String? {
        guard attachedValue == nil else { throw OptionError.unexpectedValue(option: option) }
        guard let argument = rest.popFirst() else { return nil }
        guard argument.hasPrefix("-") else { throw OptionError.strayArgument(argument) }
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        option = String(parts[0])
        attachedValue = parts.count == 2 ? String(parts[1]) : nil
        return option
    }

    /// Reads the value of the option: its attached value, or otherwise the next argument.
    mutating func value() throws -> String {
        defer { attachedValue = nil }
        guard let value = attachedValue ?? nextValue(), !value.isEmpty else {
            throw OptionError.missingValue(option: option)
        }
        // A shell splits a coordinate with a space into two arguments.
        guard value.hasSuffix(","), let remainder = nextValue() else { return value }
        return value + remainder
    }

    /// Reads and parses the value of the option.
    mutating func value<Value>(needs: String, parse: (String) -> Value?) throws -> Value {
        let text = try value()
        guard let value = parse(text) else {
            throw OptionError.invalidValue(text, option: option, needs: needs)
        }
        return value
    }

    // A value may start with a single dash, the sign of a negative number.
    private mutating func nextValue() -> String? {
        rest.first?.hasPrefix("--") == false ? rest.popFirst() : nil
    }
}
