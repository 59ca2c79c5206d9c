import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer) struct PatternSnippets {
    let server = MockServer.current
    let rex = Dog(id: 7, name: "Rex")

    private func send(_ request: URLRequest) async throws -> (Data, Int?) {
        let (data, response) = try await server.session.send(request)
        return (data, (response as? HTTPURLResponse)?.statusCode)
    }

    @Test func closureReadsPathParameters() async throws {
        // snippet.path
        server.on(.get("/dogs/{id}")) { request in
            let id = try #require(request.parameters["id"].flatMap { Int($0) })
            return .json(Dog(id: id, name: "Rex"))
        }
        // snippet.end

        let (data, _) = try await send(
            URLRequest(.get, "https://a.example/dogs/7"))

        #expect(try JSONDecoder().decode(Dog.self, from: data) == rex)
    }

    @Test func routesMatchTheEndAndTheFormOfAPath() async throws {
        // snippet.suffix
        server.on(.get("**/dogs/{id}/toys"), reply: .json(["ball"]))
        server.on(.get() && .path(matching: #//v\d+/dogs/(?<id>\d+)/#)) {
            request in
            .text("Dog \(request.parameters["id"] ?? "")")
        }
        // snippet.end

        let (toys, _) = try await send(
            URLRequest(.get, "https://a.example/v1/dogs/7/toys"))
        let (dog, _) = try await send(
            URLRequest(.get, "https://a.example/v1/dogs/7"))

        #expect(toys == Data(#"["ball"]"#.utf8))
        #expect(dog == Data("Dog 7".utf8))
    }

    @Test func conditionsNarrowARoute() async throws {
        // snippet.conditions
        server.on(
            .get("/dogs")
                .host("api.example.com")
                .query("breed", "akita")
                .query("debug", .absent)
                .header("Accept-Language", .prefix("de"))
                .header(
                    "X-Request-ID", .matching(#/[0-9a-f-]{36}/#.ignoresCase())),
            reply: .json([rex]))
        // snippet.end

        let (_, status) = try await send(
            URLRequest(
                .get, "https://api.example.com/dogs?breed=akita",
                headers: [
                    "Accept-Language": "de-AT",
                    "X-Request-ID": UUID().uuidString,
                ]))

        #expect(status == 200)
    }

    @Test func hostsNarrowARoute() async throws {
        server.on(.get("/catalog").host("Bücher.example"))
        server.on(.get("/catalog").host(.suffix(".example.com")))

        for host in ["xn--bcher-kva.example", "API.example.com"] {
            #expect(
                try await send(.make("GET", "https://\(host)/catalog")).1 == 200
            )
        }
    }

    @Test func variablesNarrowARoute() async throws {
        let (breed, tags, owner, token) = (
            "akita", ["small", "old"], String?.none, "42"
        )

        // snippet.variables
        server.on(
            .get("/dogs")
                .query("breed", breed)
                .query("page", 2)
                .query("tag", tags)
                .query("owner", owner)
                .header("X-API-Key", token),
            reply: .json([rex]))
        // snippet.end

        let (_, status) = try await send(
            URLRequest(
                .get, "https://a.example/dogs",
                query: [
                    "breed": breed, "page": 2, "tag": tags, "owner": owner,
                ],
                headers: ["X-API-Key": token]))

        #expect(status == 200)
    }

    @Test func exactQueryNarrowsARoute() async throws {
        let (breed, tags) = ("akita", ["small", "old"])

        // snippet.exactly
        server.on(
            .get("/dogs").query(exactly: [
                "breed": breed, "page": 2, "tag": tags,
            ]),
            reply: .json([rex]))
        // snippet.end

        let (_, status) = try await send(
            URLRequest(
                .get, "https://a.example/dogs",
                query: ["tag": tags, "page": 2, "breed": breed]))

        #expect(status == 200)
    }

    @Test func routesMatchBodies() async throws {
        // snippet.bodies
        server.on(.post("/dogs").json(rex), reply: .status(201))
        server.on(
            .patch("/dogs/{id}").jsonContaining(["name": "Max"]),
            reply: .status(204))
        server.on(.post("/session").form("user", "ada").form("password", .any))
        server.on(.post("/photos").part("photo", fileName: .suffix(".jpg")))
        server.on(
            .put("/photos/1").part("photo", fileName: #"Rex "Rexy" 1.jpg"#))
        // snippet.end

        _ = try await send(
            URLRequest(.post, "https://a.example/dogs", body: .json(rex)))
        _ = try await send(
            URLRequest(
                .patch, "https://a.example/dogs/7",
                body: .json(["name": "Max", "colour": "red"])))
        _ = try await send(
            URLRequest(
                .post, "https://a.example/session",
                body: .form(["user": "ada", "password": "1234"])))
        _ = try await send(
            URLRequest(
                .post, "https://a.example/photos",
                body: .multipart([
                    "photo": .data(Data("…".utf8), fileName: "rex.jpg")
                ])))
        _ = try await send(
            URLRequest(
                .put, "https://a.example/photos/1",
                body: .multipart([
                    "photo": .data(Data(), fileName: #"Rex "Rexy" 1.jpg"#)
                ])))
    }

    @Test func routesMatchJSONLiterals() async throws {
        // snippet.json
        server.on(
            .post("/dogs").json([
                "id": 7, "name": "Rex", "tags": ["small", nil],
            ]))
        server.on(
            .put("/dogs/7").jsonContaining(["id": rex.id, "name": rex.name]))
        server.on(
            .put("/owner").json([
                "dog": .json(["id": rex.id, "name": rex.name]), "n": 2,
            ]))
        // snippet.end

        for (method, path, body) in [
            (
                .post, "dogs",
                try .json(["id": 7, "name": "Rex", "tags": ["small", nil]])
            ),
            (.put, "dogs/7", try .json(["id": 7, "name": "Rex", "age": 3])),
            (
                .put, "owner",
                try .json(["dog": .json(["id": 7, "name": "Rex"]), "n": 2])
            ),
        ] as [(HTTPMethod, String, HTTPBody)] {
            let request = try URLRequest(
                method, APIPath(verbatim: "https://a.example/" + path),
                body: body)
            #expect(try await send(request).1 == 200)
        }
    }

    @Test func routesMatchValuesAtPaths() async throws {
        // snippet.jsonPath
        server.on(
            .post("/owners").json(at: "addresses[0].city", .prefix("San")))
        server.on(.put("/owners/1").json(at: "address.zip", 94103))
        // snippet.end
        server.on(
            .get("/account").basicAuthentication(
                user: "ada", password: "l0velace"))

        let city: HTTPBody = try .json(["addresses": [["city": "San José"]]])
        let zip: HTTPBody = try .json(["address": ["zip": 94103]])
        let credentials = Data("ada:l0velace".utf8).base64EncodedString()
        for request in [
            try URLRequest(.post, "https://a.example/owners", body: city),
            try URLRequest(.put, "https://a.example/owners/1", body: zip),
            try URLRequest(
                .get, "https://a.example/account",
                headers: ["Authorization": "Basic \(credentials)"]),
        ] {
            #expect(try await send(request).1 == 200)
        }
    }

    @Test func operatorsCombinePatterns() async throws {
        // snippet.logic
        server.on(
            (.path("/dogs/**") || .path("/cats/**"))
                && .any.header("Authorization", .absent),
            reply: .status(401))
        // snippet.end

        #expect(
            try await send(URLRequest(.delete, "https://a.example/cats/1")).1
                == 401)
    }

    @Test func closuresNarrowPatterns() async throws {
        // snippet.where
        server.on(
            .get("/dogs/{id}").where("an even id") { request in
                request.path.last?.wholeNumberValue?.isMultiple(of: 2) == true
            })
        server.on(
            .path("/dogs/**").query(
                "name", .where("three letters") { $0?.count == 3 }))
        // snippet.end

        #expect(
            try await send(URLRequest(.get, "https://a.example/dogs/8")).1
                == 200)
        #expect(
            try await send(
                URLRequest(.get, "https://a.example/dogs/1?name=Rex")
            ).1 == 200)
    }
}
