struct Dog: Codable, Equatable, Sendable {
    var id = 1
    var name = "Rex"
}
