import APIKit
import Foundation

/// What a request type reads of a JSON body.
///
/// A request type states its part of an API by its parser alone. So the initializer asks the parser.
/// For each member of a real body, it parses three bodies: without the member, with another value of
/// the same kind, and with a value of another kind. <doc:when-the-server-changes> shows an example.
///
/// The elements of an array share a path, such as `[].owner.name`, and a few elements stand for all.
/// The values of a map share one too, such as `rates.*`: the keys of its object are data, because a
/// key with another name reaches the output. A value that the output holds whole, such as a
/// `JSONValue`, is read with all its members. Outputs are compared property by property, except for
/// what differs between two parses of one body, such as a new identifier. The result does not show a
/// branch of the parser that the body does not reach. Nor does it show a value that the output does
/// not contain, because the parser only checks it.
///
/// A body is parsed at most 200 times, and 10 MB of samples in all. Members beyond that count as read.
public struct MemberUses: Sendable, Equatable {
    /// The paths of the members without which the parser throws, sorted.
    public var required: [String] { paths(.required) }
    /// The paths of the other members without which, or with another value, the parser throws or gives
    /// another output, sorted.
    public var read: [String] { paths(.read) }
    /// The paths of the members that do not change the output, sorted.
    ///
    /// A member within an ignored one is ignored too, and not listed.
    public var ignored: [String] { paths(.ignored) }

    enum Use { case required, read, ignored }

    /// The uses by the steps to the members.
    private var uses: [[JSONStep]: Use] = [:]

    private func paths(_ use: Use) -> [String] {
        uses.filter { $0.value == use }.map { JSONStep.path(of: $0.key) }.sorted()
    }

    /// Asks the parser of a request type about the members of a body.
    ///
    /// The parser receives a head with the status 200 and no header fields.
    ///
    /// - Parameters:
    ///   - request: The request type.
    ///   - body: The body of a real response, in JSON.
    /// - Throws: A `DecodingError` for a body that is not JSON, or the error of the parser for the
    ///   unchanged body.
    public init<Request: APIRequest>(of request: Request, in body: Data) throws {
        let response = ComparedResponse(
            url: URL(filePath: "/"), status: 200, fields: [:], body: body)
        // Only for the error, because the response has read the body.
        if response.json == nil { _ = try JSONValue(text: body) }
        let parser = ResponseParser(type: "") { try request.parseResponse($0) }
        self.init(try ParserProbe(of: response, by: parser))
    }

    /// Asks a parser about the members of a body.
    init(_ probe: ParserProbe) {
        var rest = [(steps: [JSONStep](), values: [probe.response.json ?? .null])]
        while let (steps, values) = rest.first {
            rest.removeFirst()
            var children = values.children
            if let elements = children.removeValue(forKey: .elements) {
                rest.append((steps + [.elements], elements))
            }
            if !children.isEmpty, probe.isMap(steps) == true {
                children = [.values: Array(children.values.joined())]
            }
            for (step, values) in children.sorted(by: { $0.key < $1.key }) {
                let use = probe.use(of: steps + [step])
                uses[steps + [step]] = use
                if use != .ignored { rest.append((steps + [step], values)) }
            }
        }
    }
}
