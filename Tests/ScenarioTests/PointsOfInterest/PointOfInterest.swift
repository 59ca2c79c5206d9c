/// A place worth a visit.
struct PointOfInterest: Decodable, Sendable, Equatable {
    let name: String
}
