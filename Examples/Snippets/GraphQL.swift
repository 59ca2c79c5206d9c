import APIKit
import Foundation

// snippet.request
nonisolated struct GraphQLRequest<
    Variables: Encodable & Sendable, Output: Decodable & Sendable
>:
    APIRequest
{
    typealias ResponseDataType = GraphQLResponse<Output>

    let query: String

    func makeRequest(from variables: Variables) throws -> URLRequest {
        let operation = GraphQLOperation(query: query, variables: variables)
        return try URLRequest(.post, "graphql", body: .json(operation))
    }
}

nonisolated struct GraphQLOperation<Variables: Encodable>: Encodable {
    let query: String
    let variables: Variables
}

nonisolated struct GraphQLResponse<Output: Decodable & Sendable>: Decodable,
    Sendable
{
    /// The data, or the part of it that the server could find.
    var data: Output?
    var errors: [GraphQLError]?

    /// Returns the data if it is complete.
    func complete() throws -> Output? {
        if let error = errors?.first { throw error }
        return data
    }
}

nonisolated struct GraphQLError: Error, Decodable, Sendable {
    var message: String
}
// snippet.end

nonisolated struct Dogs: Decodable, Sendable {
    var dogs: [String]
}

func load(client: APIClient) async throws {
    // snippet.load
    let request = GraphQLRequest<[String: String], Dogs>(
        query: "query($breed: String!) { dogs(breed: $breed) }")
    let response = try await client.load(request, with: ["breed": "akita"])
    let dogs = try response.complete()
    // snippet.end
    print(dogs as Any)
}
