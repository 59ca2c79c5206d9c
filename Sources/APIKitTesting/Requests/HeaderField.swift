/// A header field of a request or a response.
struct HeaderField: Sendable, Hashable {
    var name: String
    var value: String
}

extension [HeaderField] {
    /// Creates the fields of a dictionary, in the order of their names.
    init(_ fields: [String: String]) {
        self = fields.map { HeaderField(name: $0.key, value: $0.value) }
            .sorted { $0.name.lowercased() < $1.name.lowercased() }
    }

    /// The values by the names, with repeated fields joined (RFC 9110, section 5.3, and RFC 9113,
    /// section 8.2.3).
    var joined: [String: String] {
        let groups = Dictionary(grouping: self) { $0.name.lowercased() }.map { name, fields in
            (fields[0].name, fields.map(\.value).joined(separator: name == "cookie" ? "; " : ", "))
        }
        return Dictionary(uniqueKeysWithValues: groups)
    }

    /// Returns the values of the fields with a name in any case, joined by commas.
    func value(named name: String) -> String? {
        let name = name.lowercased()
        let values = filter { $0.name.lowercased() == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Sets the value of all fields with a name in any case.
    mutating func replaceValues(of name: String, with value: String) {
        for index in indices where self[index].name.lowercased() == name.lowercased() {
            self[index].value = value
        }
    }
}
