extension APIResponse: CustomReflectable {
    /// A mirror for `print` and `dump`, without secrets except those in the value.
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
