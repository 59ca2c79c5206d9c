import APIKit
import Foundation

extension Condition {
    private typealias Value = @Sendable (RecordedRequest.Part) -> String?

    /// Creates a condition on a part of a multipart body.
    init(
        part name: String, fileName: ValuePattern?, contentType: ValuePattern?, body: ValuePattern?
    ) {
        let candidates: [(subject: String, pattern: ValuePattern?, value: Value)] = [
            ("file name", fileName, { $0.fileName }),
            ("content type", contentType, { $0.contentType }),
            ("text", body, { $0.text }),
        ]
        let isSecret = Redaction.hidesValue(named: name)
        let checks = candidates.compactMap { candidate in
            candidate.pattern.map {
                (
                    subject: candidate.subject, pattern: $0,
                    expected: $0.expectation(masked: isSecret), value: candidate.value
                )
            }
        }
        let details = checks.map { ", \($0.subject) \($0.expected)" }
        self.init(label: "part \(name)\(details.joined())") { request in
            request.parts.contains { part in
                part.name == name && checks.allSatisfy { $0.pattern.accepts($0.value(part)) }
            }
        } differences: { request in
            let parts = request.parts.filter { $0.name == name }
            guard let part = parts.first else {
                let names = request.parts.map(\.name).joined(separator: ", ")
                return ["part \(name): expected one, got \(names.isEmpty ? "none" : names)"]
            }
            return checks.filter { !$0.pattern.accepts($0.value(part)) }.map { check in
                let value = check.value(part).map {
                    isSecret ? Redaction.masked($0) : $0.shortened(to: 200)
                }
                let got = value.map { "\"\($0)\"" } ?? "none"
                let other = got == check.expected ? " (a different value)" : ""
                return "part \(name): expected \(check.subject) "
                    + "\(check.expected), got \(got)\(other)"
            }
        }
    }
}
