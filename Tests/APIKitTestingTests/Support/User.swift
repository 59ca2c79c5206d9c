struct User: Codable, Equatable {
    var id: Int
    var name: String
}
