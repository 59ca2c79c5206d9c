import APIKit
import APIKitTesting
import Foundation
import XCTest

/// `MockURLProtocol.requestHandler` is global, so its tests run in sequence, in one XCTest class.
final class ClassicFormTests: XCTestCase {
    private struct Refusal: Error, Equatable {}

    private let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        return URLSession(configuration: configuration)
    }()

    override func tearDown() {
        MockURLProtocol.requestHandler = nil
    }

    func testSessionReceivesTheResponseOfTheHandler() async throws {
        MockURLProtocol.requestHandler = { request in
            XCTAssertEqual(request.url?.query, "lat=37.3293")
            let response = HTTPURLResponse(
                url: try XCTUnwrap(request.url), statusCode: 201, httpVersion: nil,
                headerFields: ["X-A": "1"])
            return (try XCTUnwrap(response), Data("hello".utf8))
        }

        let (data, response) = try await session.send(.make("GET", "/a?lat=37.3293"))

        XCTAssertEqual(String(decoding: data, as: UTF8.self), "hello")
        let http = try XCTUnwrap(response as? HTTPURLResponse)
        XCTAssertEqual(http.statusCode, 201)
        XCTAssertEqual(http.value(forHTTPHeaderField: "x-a"), "1")
    }

    #if canImport(FoundationNetworking)
    // The same for the system's own functions.
    func testCookieOfTheHandlerIsNotStored() async throws {
        MockURLProtocol.requestHandler = { request in
            let response = HTTPURLResponse(
                url: try XCTUnwrap(request.url), statusCode: 200, httpVersion: nil,
                headerFields: ["Set-Cookie": "a=1"])
            return (try XCTUnwrap(response), Data())
        }

        _ = try await session.send(.make("GET", "/a"))
        _ = try await session.data(for: .make("GET", "/a"))

        XCTAssertEqual(session.configuration.httpCookieStorage?.cookies, [])
    }
    #endif

    func testBareResponseBecomesAnEmpty200() async throws {
        MockURLProtocol.requestHandler = { _ in (HTTPURLResponse(), Data()) }

        let (data, response) = try await session.send(.make("GET", "/a"))

        XCTAssertTrue(data.isEmpty)
        XCTAssertEqual((response as? HTTPURLResponse)?.statusCode, 200)
        XCTAssertEqual(response.url, URL.make("/a"))
    }

    func testHandlerReceivesTheBodyOfEachKindOfRequest() async throws {
        MockURLProtocol.requestHandler = { request in
            (HTTPURLResponse(), request.httpBody ?? Data())
        }
        var streamed = URLRequest.make("POST", "/a")
        streamed.httpBodyStream = InputStream(data: Data("stream".utf8))

        let fromData = try await session.send(.make("POST", "/a", body: Data("data".utf8))).0
        let fromStream = try await session.send(streamed).0
        let fromUpload = try await session.upload(
            for: .make("POST", "/a"), from: Data("upload".utf8)
        ).0

        XCTAssertEqual(String(decoding: fromData, as: UTF8.self), "data")
        XCTAssertEqual(String(decoding: fromStream, as: UTF8.self), "stream")
        XCTAssertEqual(String(decoding: fromUpload, as: UTF8.self), "upload")
    }

    func testSubclassUsesTheHandler() async throws {
        final class Mock: MockURLProtocol {}
        MockURLProtocol.requestHandler = { _ in (HTTPURLResponse(), Data("sub".utf8)) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Mock.self]

        let text = try await URLSession(configuration: configuration).text("/")

        XCTAssertEqual(text, "sub")
    }

    // Which of the two methods the system calls depends on the platform.
    func testCanInitWithATaskCallsCanInitWithItsRequest() {
        final class OnlyImages: MockURLProtocol {
            override class func canInit(with request: URLRequest) -> Bool {
                request.url?.pathExtension == "png"
            }
        }

        XCTAssertTrue(OnlyImages.canInit(with: session.dataTask(with: .make("GET", "/1.png"))))
        XCTAssertFalse(OnlyImages.canInit(with: session.dataTask(with: .make("GET", "/1.txt"))))
    }

    // If the mock sent a challenge, the system would send the credential over the real network.
    func testUnauthorizedResponseIsDelivered() async throws {
        let delegate = ChallengeDelegate { _ in
            (.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
        }
        MockURLProtocol.requestHandler = { request in
            let head = HTTPURLResponse(
                url: try XCTUnwrap(request.url), statusCode: 401, httpVersion: nil,
                headerFields: ["WWW-Authenticate": "Basic realm=\"d\""])
            return (try XCTUnwrap(head), Data("who?".utf8))
        }
        let session = URLSession(
            configuration: session.configuration, delegate: delegate, delegateQueue: nil)

        let (data, response) = try await session.data(for: .make())

        XCTAssertEqual(String(decoding: data, as: UTF8.self), "who?")
        XCTAssertEqual((response as? HTTPURLResponse)?.statusCode, 401)
        XCTAssertEqual(response.url, URL.make("/"))
    }

    func testSessionThrowsTheErrorOfTheHandler() async throws {
        MockURLProtocol.requestHandler = { _ in throw Refusal() }

        do {
            _ = try await session.send(.make())
            XCTFail("Nothing was thrown.")
        } catch {
            XCTAssertEqual(error as? Refusal, Refusal())
        }
    }

    func testSystemFunctionKeepsTheDomainOfAnError() async throws {
        MockURLProtocol.requestHandler = { _ in throw Refusal() }

        do {
            _ = try await session.data(for: .make())
            XCTFail("Nothing was thrown.")
        } catch {
            XCTAssertEqual((error as NSError).domain, (Refusal() as NSError).domain)
            // On Apple platforms a session rebuilds the error, and drops its type.
            #if canImport(FoundationNetworking)
            XCTAssertEqual(error as? Refusal, Refusal())
            #endif
        }
    }

    // A closure that each access wraps once more would exceed the stack.
    func testHandlerRespondsAfterManyAccesses() async throws {
        MockURLProtocol.requestHandler = { _ in (HTTPURLResponse(), Data("still".utf8)) }
        for _ in 0..<200_000 { _ = MockURLProtocol.requestHandler }

        let text = try await session.text("/")

        XCTAssertEqual(text, "still")
    }

    func testBlockedHandlerDoesNotDelayOtherSessions() async throws {
        let gate = DispatchSemaphore(value: 0)
        MockURLProtocol.requestHandler = { _ in
            XCTAssertEqual(gate.wait(timeout: .now() + 600), .success)
            return (HTTPURLResponse(), Data())
        }
        let other = MockServer { _ in .status(204) }

        let session = session
        let slow = (0..<2).map { _ in Task { try await session.status(.make()) } }
        let quick = try await other.session.status(.make())
        for _ in slow { gate.signal() }

        XCTAssertEqual(quick, 204)
        for load in slow {
            let status = try await load.value
            XCTAssertEqual(status, 200)
        }
    }
}
