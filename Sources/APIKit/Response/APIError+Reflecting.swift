import Foundation

extension APIError: CustomReflectable {
    /// A mirror without secrets, for `dump`.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "kind": kind,
                "request": request.map(Redaction.text(of:)) ?? "none",
                "statusCode": statusCode ?? "none",
                "body": "\(body?.count ?? 0) bytes",
                "underlying": underlying.map(APIError.text(of:)) ?? "none",
            ], displayStyle: .struct)
    }
}
