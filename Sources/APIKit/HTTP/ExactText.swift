/// A text that equals only a text of the same bytes.
///
/// `String` compares by canonical equivalence, so two spellings of `café` are equal. A server
/// compares bytes, so the two may belong to different users.
struct ExactText: Hashable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (first: ExactText, second: ExactText) -> Bool {
        first.text.utf8.elementsEqual(second.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(text.utf8.count)
    }
}
