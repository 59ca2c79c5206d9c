import APIKit
import Foundation

/// A form whose temporary copies can be told from those of other tests.
struct MarkedForm {
    private let mark = UUID().uuidString
    let body: HTTPBody

    init(_ parts: MultipartForm.Part...) {
        body = .multipart(MultipartForm([.text("mark", mark)] + parts))
    }

    /// How many copies there are.
    var copies: Int {
        let directory = FileManager.default.temporaryDirectory
        let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
        return (names ?? []).count { name in
            guard name.hasPrefix("APIKit-"),
                let file = try? FileHandle(forReadingFrom: directory.appending(path: name)),
                let start = try? file.read(upToCount: 1024)
            else { return false }
            return String(decoding: start, as: UTF8.self).contains(mark)
        }
    }
}
