extension ByteStream: CustomReflectable {
    /// A mirror without secrets, for `print` and `dump`.
    public var customMirror: Mirror {
        let request = context.map { Redaction.text(of: $0.request) }
        return Mirror(self, children: ["request": request ?? "none"], displayStyle: .struct)
    }
}

extension StreamReading: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}
