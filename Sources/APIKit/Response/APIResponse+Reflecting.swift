extension APIResponse: CustomReflectable {
    /// A mirror without secrets but for those of the value, for `print` and `dump`.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "value": value,
                "statusCode": statusCode,
                "url": http.url.map(Redaction.text(of:)) ?? "none",
                "headers": Redaction.masked(http.headers),
            ], displayStyle: .struct)
    }
}
