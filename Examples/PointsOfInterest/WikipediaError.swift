/// What Wikipedia says is wrong with a request.
struct WikipediaError: Error, Equatable, Decodable {
    /// The explanation, a sentence in English.
    let info: String
}

extension WikipediaError: CustomStringConvertible {
    /// One line that says who refused and why.
    var description: String { "Wikipedia refused the request: \(info)" }
}
