/// A cat of the cattery.
///
/// The app uses this type. How the server writes a cat is a matter of this module.
public struct Cat: Sendable, Equatable, Identifiable {
    /// The number of the cat.
    public var id: Int
    /// The name that the cat is called by.
    public var name: String
    /// Whether the cat has a new home.
    public var isAdopted: Bool

    /// Creates a cat, for the previews and the tests of the app.
    public init(id: Int, name: String, isAdopted: Bool = false) {
        self.id = id
        self.name = name
        self.isAdopted = isAdopted
    }
}
