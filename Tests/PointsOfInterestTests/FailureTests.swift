import APIKit
import Foundation
import Testing

@testable import PointsOfInterest

@Suite struct FailureTests {
    private static let arguments: [any Error] = [
        OptionError.unknownOption("--foo"), RequestError.invalidCoordinate,
    ]

    @Test(arguments: arguments)
    func invalidArgumentsExitWith64(error: any Error) {
        #expect(Failure(error).exitStatus == 64)
        #expect(Failure(error).line == "\(error)")
    }

    @Test func failedLoadExitsWith1() throws {
        let error = WikipediaError(info: "Two\nlines.")

        #expect(Failure(error).exitStatus == 1)
        #expect(Failure(error).line == "Wikipedia refused the request: Two lines.")
    }

    @Test(arguments: [
        (#"{"error": "lat is missing"}"#, " The server says \"lat is missing\"."),
        ("<html>", ""), ("", ""),
    ])
    func lineIncludesTheReasonOfTheServer(body: String, addition: String) throws {
        let url = try #require(URL(string: "https://a.example/locations"))
        let error = APIError(
            .status(400), request: URLRequest(url: url), body: Data(body.utf8))

        #expect(
            Failure(error).line
                == "GET https://a.example/locations was refused with status 400.\(addition)")
    }
}
