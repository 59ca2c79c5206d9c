/// The arguments of the program, read from front to back.
struct Arguments {
    private var rest: ArraySlice<String>
    private var option = ""
    private var attachedValue: String?

    /// Creates a reader of arguments, without the name of the program.
    init(_ arguments: [String]) {
        rest = arguments[...]
    }

    /// Reads the next option, and keeps a value that is attached to it as in `--limit=3`.
    mutating func nextOption() throws -> String? {
        guard attachedValue == nil else { throw OptionError.unexpectedValue(option: option) }
        guard let argument = rest.popFirst() else { return nil }
        guard argument.hasPrefix("-") else { throw OptionError.strayArgument(argument) }
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        option = String(parts[0])
        attachedValue = parts.count == 2 ? String(parts[1]) : nil
        return option
    }

    /// Reads the value of the option: what is attached to it, or else the next argument.
    mutating func value() throws -> String {
        defer { attachedValue = nil }
        guard let value = attachedValue ?? nextValue(), !value.isEmpty else {
            throw OptionError.missingValue(option: option)
        }
        // A shell makes two arguments of a coordinate that is written with a space.
        guard value.hasSuffix(","), let remainder = nextValue() else { return value }
        return value + remainder
    }

    /// Reads the value of the option as something else.
    mutating func value<Value>(
        needs: String,
        parse: (String) -> Value?
    ) throws -> Value {
        let text = try value()
        guard let value = parse(text) else {
            throw OptionError.invalidValue(text, option: option, needs: needs)
        }
        return value
    }

    // A single dash is the sign of a negative number.
    private mutating func nextValue() -> String? {
        rest.first?.hasPrefix("--") == false ? rest.popFirst() : nil
    }
}
