import APIKit
import Foundation

/// How a live response differs from a recorded one, judged by what the client reads.
///
/// Values are not compared. A change that breaks the client is a failure, such as a missing required
/// member. A change of another member that the client reads is a warning, because the client works
/// with it, but differently. Any other change is only counted.
struct ResponseChanges {
    /// The compared parts of a response, of which the last returns the value of a header field.
    typealias Response = (status: Int, body: Data, header: (_ name: String) -> String?)

    private(set) var failures: [String] = []
    private(set) var warnings: [String] = []
    /// The number of changes that the client does not read.
    private(set) var noteCount = 0
    /// How many elements were compared, if both bodies are arrays.
    private(set) var textOfCounts = ""

    /// Compares a live response with a recorded one.
    ///
    /// Without a reader, the client is assumed to read every member.
    init(from recorded: Response, to live: Response, readBy reader: ResponseReader?) {
        compareHeads(recorded, live)
        guard failures.isEmpty, (200...299).contains(live.status),
            let old = try? JSONDecoder().decode(JSONValue.self, from: recorded.body),
            let new = try? JSONDecoder().decode(JSONValue.self, from: live.body)
        else { return }
        let uses = reader.flatMap { try? MemberUses(in: recorded.body, parse: $0.parse) }
        if let reader, uses != nil {
            do {
                _ = try reader.parse(live.body)
            } catch {
                let reason = (error as? DecodingError)?.reason() ?? APIError.text(of: error)
                failures.append("\(reader.type) cannot parse the body: \(reason)")
            }
        }
        let (before, after) = (JSONShape(old), JSONShape(new))
        for (old, new) in zip(before.elements, after.elements) {
            textOfCounts = ": compared \(new.count) elements with \(old.count)"
        }
        for change in after.changes(since: before) { add(change, uses, reader?.type) }
    }

    private mutating func compareHeads(_ recorded: Response, _ live: Response) {
        if live.status / 100 != recorded.status / 100 {
            failures.append("The status is now \(live.status), and was \(recorded.status).")
        } else if live.status != recorded.status {
            warnings.append("The status is now \(live.status), and was \(recorded.status).")
        }
        let types = [recorded, live].map { ($0.header("Content-Type") ?? "").mediaType }
        if types[0] != types[1], !live.body.isEmpty, !recorded.body.isEmpty {
            failures.append("The media type is now \(types[1]), and was \(types[0]).")
        }
        // RFC 9745 and RFC 8594 announce the end of a resource.
        for name in ["Deprecation", "Sunset"] {
            guard let value = live.header(name), value != recorded.header(name) else { continue }
            let link = live.header("Link").map { ", \($0)" } ?? ""
            warnings.append("\(name): \(value)\(link)".shortened(to: 300))
        }
    }

    private mutating func add(_ change: JSONShape.Change, _ uses: MemberUses?, _ type: String?) {
        if change.isBreaking, uses?.required.contains(change.path) == true {
            failures.append("\(change.text) \(type ?? "A client") requires it.")
        } else if change.isMinor || uses?.ignored.contains(change.path) == true {
            noteCount += 1
        } else {
            let remark = type.map { " \($0) reads it, and does not fail." } ?? ""
            warnings.append(change.text + remark)
        }
    }
}
