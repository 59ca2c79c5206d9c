import APIKit
import Foundation

/// The components of a request that a cassette compares.
struct Matching: Sendable {
    /// The names that do not matter, by the compared parts.
    private var ignored: [Cassette.Component.Part: Set<String>] = [:]
    /// The templates of ignored segments.
    let templates: [PathTemplate]

    init(_ components: [Cassette.Component]) {
        for component in components {
            for part in component.parts {
                ignored[part, default: []].formUnion(component.ignored)
            }
        }
        templates = ignored[.path, default: []].sorted().map { PathTemplate($0) }
    }

    /// In place of a body that is not known.
    static let unknownBody = [RequestForm.Value.literal("unknown")]

    /// Returns the compared components of a request.
    func form(of request: RecordedRequest, hasBody: Bool = true) -> RequestForm {
        var form = RequestForm()
        for (part, names) in ignored {
            switch part {
            case .method: form.add("method", request.method.rawValue.uppercased())
            case .origin: form.formUnion(RequestForm(originOf: request.url))
            case .host: form.add("host", RequestForm.authority(of: request.url))
            case .path: form.values["path"] = path(request.pathSegments)
            case .query: form.formUnion(RequestForm("query", request.queryItems, ignoring: names))
            case .body where !hasBody: form.values["body"] = Self.unknownBody
            case .body: form.formUnion(RequestForm(bodyOf: request, ignoring: names))
            case .header(let name):
                if let value = request.header(name) { form.add("header.\(name)", value) }
            }
        }
        return form
    }

    /// Returns the segments of a path, with a mask in place of those at a placeholder of a template.
    private func path(_ path: [String]) -> [RequestForm.Value] {
        var values = path.map { RequestForm.Value.text(ExactText($0)) }
        for template in templates where template.parameters(in: path) != nil {
            for (index, segment) in zip(template.compared(path).indices, template.segments)
            where segment.isPlaceholder {
                values[index] = ReplayKeys.mask
            }
        }
        return values
    }
}
