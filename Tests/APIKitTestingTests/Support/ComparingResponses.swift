import APIKit
import Foundation

@testable import APIKitTesting

/// A suite that compares responses.
protocol ComparingResponses {}

extension ComparingResponses {
    func response(
        _ body: String, status: Int = 200, _ fields: [String: String] = [:],
        type: String = "application/json"
    ) -> ComparedResponse {
        ComparedResponse(
            url: URL(filePath: "/dogs"), status: status,
            fields: fields.merging(["Content-Type": type]) { $1 }, body: Data(body.utf8))
    }

    func lines(
        _ old: ComparedResponse, _ new: ComparedResponse, as request: (any APIRequest)? = nil
    ) -> [String] {
        let changes = ResponseChanges(
            from: [old], to: [new], readBy: request.map { ResponseParser($0) })
        return changes.failures.map { "failure: \($0)" } + changes.warnings.map { "warning: \($0)" }
    }
}

/// A request type with a decodable output.
struct Get<Output: Decodable & Sendable>: APIRequest {
    typealias ResponseDataType = Output

    func makeRequest(from: Void) throws -> URLRequest { try URLRequest(.get, "dogs") }
}

/// A request type with a given parser.
struct Parsed<Output: Sendable>: APIRequest {
    let parse: @Sendable (Data) throws -> Output

    func makeRequest(from: Void) throws -> URLRequest { try URLRequest(.get, "dogs") }
    func parseResponse(data: Data) throws -> Output { try parse(data) }
}

/// A request type with the strategies of many servers.
struct Snake<Output: Decodable & Sendable>: APIRequest {
    typealias ResponseDataType = Output

    var decoder: any ResponseDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }

    func makeRequest(from: Void) throws -> URLRequest { try URLRequest(.get, "dog") }
}
