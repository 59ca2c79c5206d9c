/// A place that is worth a visit.
struct PointOfInterest: Decodable, Sendable, Equatable {
    let name: String
}
