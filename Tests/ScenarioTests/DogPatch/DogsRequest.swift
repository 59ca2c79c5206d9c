import APIKit
import Foundation

/// Requests all dogs that are for sale.
struct DogsRequest: APIRequest {
    typealias ResponseDataType = [Dog]

    var decoder: any ResponseDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }

    func makeRequest(from data: Void) throws -> URLRequest {
        try URLRequest(.get, "dogs")
    }
}
