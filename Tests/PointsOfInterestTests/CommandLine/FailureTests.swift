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
        #expect(Failure(error).message == "\(error)")
    }

    @Test(
        arguments: [
            POSIXError(.EPIPE),
            CocoaError(.fileWriteUnknown, userInfo: [NSUnderlyingErrorKey: POSIXError(.EPIPE)]),
        ] as [any Error])
    func messageGivesTheReasonOfTheSystem(error: any Error) {
        #expect(Failure(error).exitStatus == 1)
        #expect(Failure(error).message == "The output cannot be written: Broken pipe.")
    }

    @Test func failedLoadExitsWith1() throws {
        let error = WikipediaError(info: "Try later.")

        #expect(Failure(error).exitStatus == 1)
        #expect(Failure(error).message == "Wikipedia refused the request: Try later.")
    }

    @Test func messageIncludesTheReasonOfTheServer() {
        let error = APIError(.status(400), body: Data(#"{"error": "lat is missing"}"#.utf8))

        #expect(
            Failure(error).message
                == #"The request was refused with status 400: {"error": "lat is missing"}."#)
    }

    @Test(arguments: [
        (APIError.Kind.decoding, " --help shows the JSON that a server has to send."),
        (.deadline, " --deadline allows more time."), (.transport, ""),
    ])
    func messageIncludesAdvice(kind: APIError.Kind, advice: String) {
        #expect(Failure(APIError(kind)).message == "\(APIError(kind))\(advice)")
    }
}
