import APIKit
import Foundation

struct Photo: Decodable, Sendable {
    var id: Int
}

struct ReportRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from year: Int) throws -> URLRequest {
        try URLRequest(.get, "reports/\(year)")
    }
}

struct AddPhoto: APIRequest {
    typealias ResponseDataType = Photo

    func makeRequest(from album: Int) throws -> URLRequest {
        try URLRequest(.post, "albums/\(album)/photos")
    }
}

struct Dog: Codable, Sendable {
    var id: Int
    var name: String
}

func download(client: APIClient, folder: URL) async throws {
    // snippet.download
    let file = folder.appending(path: "report.pdf")
    try await client.download(ReportRequest(), with: 2026, to: file) { progress in
        print(progress.fraction ?? 0)
    }
    // snippet.end
}

func upload(client: APIClient, file: URL) async throws {
    // snippet.upload
    let photo = try await client.upload(
        AddPhoto(), with: 7, from: .file(file, contentType: "image/jpeg")
    ) { progress in
        print(progress.completedBytes, progress.totalBytes ?? 0)
    }
    // snippet.end
    print(photo)
}

func uploadForm(client: APIClient, file: URL) async throws {
    // snippet.form
    let form: MultipartForm = [
        .text("title", "On the beach"),
        .file("photo", file, contentType: "image/jpeg"),
        .data("thumbnail", Data(), fileName: "small.png", contentType: "image/png"),
    ]
    let photo = try await client.upload(AddPhoto(), with: 7, from: .multipart(form))
    // snippet.end
    print(photo)
}

// snippet.pages
struct DogPages: PagedAPIRequest {
    typealias ResponseDataType = [Dog]

    func makeRequest(from page: Int) throws -> URLRequest {
        try URLRequest(.get, "dogs", query: ["page": page])
    }

    func nextInput(after response: APIResponse<[Dog]>, from page: Int) -> Int? {
        response.value.isEmpty ? nil : page + 1
    }
}
// snippet.end

// snippet.links
struct LinkedDogPages: PagedAPIRequest {
    typealias ResponseDataType = [Dog]

    func makeRequest(from url: URL) throws -> URLRequest { URLRequest(url: url) }

    func nextInput(after response: APIResponse<[Dog]>, from url: URL) -> URL? {
        response.http.link(relation: "next")
    }
}
// snippet.end

func loadPages(client: APIClient) async throws {
    // snippet.loop
    for try await dogs in client.pages(of: DogPages(), from: 1) {
        print(dogs.map(\.name))
    }
    // snippet.end
}

func redirects(url: URL) -> APIClient {
    // snippet.redirects
    let client = APIClient(baseURL: url, transport: URLSession.shared.redirecting(.sameOrigin))
    // snippet.end
    return client
}

func show(_ value: some Sendable) { print(value) }

func readme(client: APIClient, question: String, file: URL, photo: URL) async throws {
    // snippet.readme
    for try await event in try await client.stream(AskRequest(), with: question).value.events {
        show(event.data)
    }
    try await client.download(ReportRequest(), with: 2026, to: file) { show($0.fraction) }
    try await client.upload(AddPhoto(), with: 7, from: .file(photo)) { show($0.fraction) }
    for try await dogs in client.pages(of: DogPages(), from: 1) { show(dogs) }
    // snippet.end
}

struct AskRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from question: String) throws -> URLRequest {
        try URLRequest(.post, "answers", body: .json(["question": question]))
    }
}
