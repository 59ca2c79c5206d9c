import APIKit
import Foundation

extension Comparison {
    static let calls = [
        Comparison(.load, to: .bareLoad, aim: 1.05),
        Comparison(.makeRequest, to: .bareMakeRequest, aim: 1.00),
        Comparison(.parse, to: .bareParse),
        Comparison(.shortStream, to: .bareShortStream, aim: 1.05),
    ]
}

extension Workload {
    /// The most common call of an app.
    static let load = Workload("client.load, ten points of interest") {
        let client = APIClient(
            baseURL: PointsOfInterestRequest.baseURL,
            transport: URLSession.bare(MinimalURLProtocol.self))
        return {
            let points = try await client.load(PointsOfInterestRequest(), with: .sanJose)
            try WrongResult.unless(points.count == 10)
        }
    }

    static let bareLoad = Workload("URLComponents, a data task, JSONDecoder") {
        let session = URLSession.bare(MinimalURLProtocol.self)
        return {
            let request = try PointsOfInterestRequest.bareRequest(for: .sanJose)
            let (data, response) = try await session.bareData(for: request)
            try WrongResult.unless((200..<300).contains(response.statusCode))
            let points = try JSONDecoder().decode([PointOfInterest].self, from: data)
            try WrongResult.unless(points.count == 10)
        }
    }

    static let shortStream = Workload("client.stream, ten points of interest") {
        let client = APIClient(
            baseURL: PointsOfInterestRequest.baseURL,
            transport: URLSession.bare(MinimalURLProtocol.self))
        return {
            let response = try await client.stream(PointsOfInterestRequest(), with: .sanJose)
            try WrongResult.unless(
                try await response.value.byteCount == MinimalURLProtocol.body.count)
        }
    }

    static let bareShortStream = Workload("URLComponents, a delegate's data task") {
        let counter = ByteCounter()
        let session = URLSession(
            configuration: .bare(MinimalURLProtocol.self), delegate: counter, delegateQueue: nil)
        return {
            let request = try PointsOfInterestRequest.bareRequest(for: .sanJose)
            let count = try await counter.count(of: session.dataTask(with: request))
            try WrongResult.unless(count == MinimalURLProtocol.body.count)
        }
    }

    fileprivate static let makeRequest = repeating("URLRequest(.get, path, query:)") {
        let request = try PointsOfInterestRequest().makeRequest(from: .sanJose)
        try WrongResult.unless(request.url != nil)
    }

    fileprivate static let bareMakeRequest = repeating("URLComponents with query items") {
        let request = try PointsOfInterestRequest.bareRequest(for: .sanJose)
        try WrongResult.unless(request.url != nil)
    }

    fileprivate static let parse = repeating("parseResponse(data:), ten points of interest") {
        let points = try PointsOfInterestRequest().parseResponse(data: MinimalURLProtocol.body)
        try WrongResult.unless(points.count == 10)
    }

    fileprivate static let bareParse = repeating("JSONDecoder().decode") {
        let points = try JSONDecoder().decode(
            [PointOfInterest].self, from: MinimalURLProtocol.body)
        try WrongResult.unless(points.count == 10)
    }

    /// Returns a workload that repeats a closure that is too fast to measure alone.
    private static func repeating(
        _ name: String, _ body: @escaping @Sendable () throws -> Void
    ) -> Workload {
        Workload(name, count: 1_000) {
            return { for _ in 0..<1_000 { try body() } }
        }
    }
}
