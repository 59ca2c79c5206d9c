import Foundation

/// A dog that is for sale.
struct Dog: Decodable, Sendable, Equatable {
    let id: UUID
    let name: String
    let breed: String
    let cost: Decimal
    let created: Date
}
