import APIKit
import Foundation
import Testing

@testable import PointsOfInterest

@Suite struct WikipediaRequestTests {
    @Test func requestIsForGeoSearch() throws {
        let request = try WikipediaRequest(radius: 500, limit: 3)
            .makeRequest(from: Coordinate(latitude: -33.8568, longitude: 151.2153))

        let url = try #require(request.url)
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        #expect(url.path == "/api.php")
        #expect(
            items == [
                URLQueryItem(name: "action", value: "query"),
                URLQueryItem(name: "list", value: "geosearch"),
                URLQueryItem(name: "format", value: "json"),
                URLQueryItem(name: "gscoord", value: "-33.8568|151.2153"),
                URLQueryItem(name: "gsradius", value: "500"),
                URLQueryItem(name: "gslimit", value: "3"),
            ])
    }

    @Test func invalidCoordinateThrows() {
        #expect(throws: RequestError.invalidCoordinate) {
            try WikipediaRequest().makeRequest(from: Coordinate(latitude: 0, longitude: 181))
        }
    }

    @Test func articlesBecomePoints() throws {
        let body = Data(
            """
            {"batchcomplete": "", "query": {"geosearch": [
                {"pageid": 28222, "ns": 0, "title": "Sydney Opera House",
                 "lat": -33.8587, "lon": 151.214, "dist": 243.1, "primary": ""}]}}
            """.utf8)

        let points = try WikipediaRequest().parseResponse(data: body)

        #expect(
            points == [
                PointOfInterest("Sydney Opera House", latitude: -33.8587, longitude: 151.214)
            ])
    }

    @Test func errorOfWikipediaIsThrown() throws {
        let body = Data(#"{"error": {"code": "badcoord", "info": "Bad coordinates."}}"#.utf8)

        let error = #expect(throws: WikipediaError.self) {
            try WikipediaRequest().parseResponse(data: body)
        }

        #expect(
            error.map { "\($0)" } == "Wikipedia refused the request: Bad coordinates.")
    }

    @Test(arguments: ["", "[]", "{}", #"{"query": {"geosearch": [{"title": "A"}]}}"#])
    func bodyOfAnotherShapeThrows(body: String) {
        #expect(throws: DecodingError.self) {
            try WikipediaRequest().parseResponse(data: Data(body.utf8))
        }
    }
}
