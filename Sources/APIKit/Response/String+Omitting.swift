import Foundation
import RegexBuilder

extension String {
    /// The text without the URL of a request, for a message that already names the request.
    func omitting(_ request: URLRequest?) -> String {
        guard let request, let url = request.url.map(Redaction.text(of:)), contains(url) else {
            return self
        }
        let method = "\(request.method) "
        let apposition = Regex {
            ": "
            Optionally(method)
            url
            /\s*$/.anchorsMatchLineEndings()
        }
        let mention = Regex {
            Optionally { Capture(method) }
            url
            // The URL may also be the start of a longer one.
            /(?=[.,;:!?)\]}>"'”’]*(?:\s|$))/
        }
        return replacing(apposition, with: "")
            .replacing(mention) { $0.output.1 == nil ? "this URL" : "this request" }
    }

    var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }

    /// The text with a full stop, except after a URL, a path or an ellipsis, which would seem to
    /// include it.
    var asSentence: String {
        let lastWord = split(whereSeparator: \.isWhitespace).last ?? ""
        let isLocation = lastWord.contains("://") || lastWord.hasPrefix("/")
        let isQuoted = last.map("\"')”’".contains) ?? false
        return isLocation && !isQuoted || hasSuffix("…") ? self : "\(self)."
    }
}
