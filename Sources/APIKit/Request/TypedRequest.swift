import Foundation

/// A request as its type makes it from an input, for a transport that responds to request types.
struct TypedRequest: Sendable {
    /// The request of the call whose transport runs in this task.
    @TaskLocal static var current: TypedRequest?

    private let type: any APIRequest.Type
    private let input: any Sendable
    private let request: URLRequest

    init<Request: APIRequest>(
        _ request: URLRequest, of type: Request.Type, from input: Request.RequestDataType
    ) {
        (self.request, self.type, self.input) = (request, type, input)
    }

    /// The request type and the input, such as `DogsRequest with the input "akita"`, on one line and
    /// with secrets masked.
    var text: String {
        guard !(input is Void) else { return "\(type)" }
        let text = Redaction.excerpt(of: "\(input)", upTo: 200)
        return "\(type) with the input \(input is String ? "\"\(text)\"" : text)"
    }

    /// Returns whether two requests have the same type, method, URL and body.
    func isEqual(to other: TypedRequest) -> Bool {
        type == other.type && request.method == other.request.method
            && request.url?.absoluteString == other.request.url?.absoluteString
            && request.comparedBody == other.request.comparedBody
    }
}

extension URLRequest {
    /// The body in a form that is equal each time that a request type makes it.
    ///
    /// An encoder writes the members of an object in any order, and each form has a new boundary.
    fileprivate var comparedBody: AnyHashable? {
        guard let body = httpBody else { return nil }
        if let json = try? JSONDecoder().decode(JSONValue.self, from: body) { return json }
        let type = FieldReader.parameters(of: value(forHTTPHeaderField: "Content-Type") ?? "")
        return type["boundary"].map { body.replacing(Data($0.utf8), with: Data()) } ?? body
    }
}
