import APIKit
import Foundation

/// What a request type reads of a JSON body.
///
/// A request type states its part of an API by its parser alone. So the initializer asks the parser:
/// for each member of a real body, it parses the body without the member, and with a value of another
/// kind in its place.
///
/// | The parse | The member is |
/// |---|---|
/// | throws without it | ``required`` |
/// | throws for another kind, or gives another output | ``read`` |
/// | gives the same output both times | ``ignored`` |
///
/// <doc:when-the-server-changes> shows an example.
///
/// The elements of an array share a path, such as `[].owner.name`, and one element stands for all that
/// have the same members. Outputs are compared by `dump`. The result does not show a branch of the parser
/// that the body does not reach. Nor does it show a value that the output does not contain, because the
/// parser only checks it. A parser must give the same output each time.
public struct MemberUses: Sendable, Equatable {
    /// The paths of the members without which the body cannot be parsed, sorted.
    public private(set) var required: [String] = []
    /// The paths of the other members that the output depends on, sorted.
    public private(set) var read: [String] = []
    /// The paths of the members that do not matter, sorted.
    public private(set) var ignored: [String] = []

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
        try self.init(in: body) {
            try request.parseResponse(APIResponse(value: $0, http: HTTPURLResponse()))
        }
    }

    init(in body: Data, parse: (Data) throws -> Any) throws {
        let whole = try JSONDecoder().decode(HTTPBody.JSON.self, from: body)
        func output(of json: HTTPBody.JSON?) throws -> String {
            var text = ""
            dump(try parse(JSONEncoder().encode(json)), to: &text)
            return text
        }
        // A few elements of each array are enough, unless the parser needs more.
        var paths: Set<String> = []
        var sample = whole.sample(at: "", &paths)
        if (try? output(of: sample)) == nil { sample = whole }
        let expected = try output(of: sample)
        for (path, place) in sample.members(at: "", []).sorted(by: { $0.key < $1.key }) {
            // All of an ignored object or array is ignored.
            guard !ignored.contains(where: path.isBelow) else {
                ignored.append(path)
                continue
            }
            // A parse that throws has no output.
            let without = try? output(of: sample.replacing(place[...]) { _ in nil })
            let other = try? output(of: sample.replacing(place[...]) { $0.ofAnotherKind })
            if without == nil {
                required.append(path)
            } else if without != expected || other != expected {
                read.append(path)
            } else {
                ignored.append(path)
            }
        }
    }
}

/// A step from a JSON value to a member or an element.
private enum Step {
    case name(String)
    case index(Int)
}

extension HTTPBody.JSON {
    /// Returns the value with those elements of its arrays that are the first with a path.
    fileprivate func sample(at path: String, _ paths: inout Set<String>) -> Self {
        paths.insert(path)
        switch self {
        case .object(let members):
            return .object(
                members.reduce(into: [:]) {
                    $0[$1.key] = $1.value.sample(at: path.member($1.key), &paths)
                })
        case .array(let elements):
            return .array(
                elements.enumerated().compactMap { index, element in
                    let count = paths.count
                    let sample = element.sample(at: "\(path)[]", &paths)
                    return index == 0 || paths.count > count ? sample : nil
                })
        default: return self
        }
    }

    /// Returns the first place of each member.
    fileprivate func members(at path: String, _ steps: [Step]) -> [String: [Step]] {
        switch self {
        case .object(let members):
            members.reduce(into: [:]) { found, member in
                let (path, steps) = (path.member(member.key), steps + [.name(member.key)])
                found[path] = steps
                found.merge(member.value.members(at: path, steps)) { $1 }
            }
        case .array(let elements):
            elements.enumerated().reduce(into: [:]) { found, element in
                let steps = steps + [.index(element.offset)]
                found.merge(element.element.members(at: "\(path)[]", steps)) { first, _ in first }
            }
        default: [:]
        }
    }

    /// Returns the value with a change of what is at a place, which `nil` removes.
    fileprivate func replacing(_ place: ArraySlice<Step>, by change: (Self) -> Self?) -> Self? {
        switch (self, place.first) {
        case (.object(var members), .name(let name)):
            members[name] = members[name]?.replacing(place.dropFirst(), by: change)
            return .object(members)
        case (.array(var elements), .index(let index)):
            elements[index] = elements[index].replacing(place.dropFirst(), by: change) ?? .null
            return .array(elements)
        default: return change(self)
        }
    }
}

extension String {
    fileprivate func member(_ name: String) -> String { isEmpty ? name : "\(self).\(name)" }

    /// Returns whether a path is below another one.
    fileprivate func isBelow(_ path: String) -> Bool {
        hasPrefix("\(path).") || hasPrefix("\(path)[")
    }
}
