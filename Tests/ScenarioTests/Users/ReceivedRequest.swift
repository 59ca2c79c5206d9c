/// A request that the API received.
struct ReceivedRequest: Decodable {
    let method: String
    let path: String
    let headers: [String: String]
}
