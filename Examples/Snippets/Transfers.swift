import APIKit
import Foundation

// snippet.report
struct ReportRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from year: Int) throws -> URLRequest {
        try URLRequest(.get, "reports/\(year)")
    }
}
// snippet.end

// snippet.photo
nonisolated struct Photo: Decodable, Sendable {
    var id: Int
}

struct AddPhoto: APIRequest {
    typealias ResponseDataType = Photo

    func makeRequest(from album: Int) throws -> URLRequest {
        try URLRequest(.post, "albums/\(album)/photos")
    }
}
// snippet.end

func download(client: APIClient) async throws {
    // snippet.download
    let file = FileManager.default.temporaryDirectory.appending(
        path: "report.pdf")
    try await client.download(ReportRequest(), with: 2026, to: file) {
        progress in
        print(progress.fraction ?? 0)
    }
    // snippet.end
}

func upload(client: APIClient) async throws {
    // snippet.upload
    let file = FileManager.default.temporaryDirectory.appending(
        path: "beach.jpg")
    let photo = try await client.upload(
        AddPhoto(), with: 7, from: .file(file, contentType: "image/jpeg")
    ) { progress in
        print(progress.completedBytes, progress.totalBytes ?? 0)
    }
    // snippet.end
    print(photo)
}

func uploadInBackground(_ file: URL, client: APIClient, session: URLSession)
    async throws
{
    // snippet.final
    let request = try await client.request(for: AddPhoto(), with: 7)
    session.uploadTask(with: request, fromFile: file).resume()
    // snippet.end
}

func uploadForm(client: APIClient, file: URL) async throws {
    // snippet.form
    let form: MultipartForm = [
        "title": .text("On the beach"),
        "photo": .file(file, contentType: "image/jpeg"),
        "thumbnail": .data(
            Data(), fileName: "small.png", contentType: "image/png"),
    ]
    let photo = try await client.upload(
        AddPhoto(), with: 7, from: .multipart(form))
    // snippet.end
    print(photo)
}

// snippet.pages
nonisolated struct Dog: Decodable, Sendable {
    var id: Int
    var name: String
}

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

// snippet.cursor
nonisolated struct DogPage: Decodable, Sendable {
    var dogs: [Dog]
    var cursor: String?
}

struct DogsByCursor: PagedAPIRequest {
    typealias ResponseDataType = DogPage

    func makeRequest(from cursor: String?) throws -> URLRequest {
        try URLRequest(.get, "dogs", query: ["cursor": cursor])
    }

    func nextInput(after response: APIResponse<DogPage>, from cursor: String?)
        -> String??
    {
        response.value.cursor
    }
}
// snippet.end

// snippet.links
struct LinkedDogPages: PagedAPIRequest {
    typealias ResponseDataType = [Dog]

    func makeRequest(from url: URL) throws -> URLRequest {
        URLRequest(url: url)
    }

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

// snippet.scrolling
@MainActor final class DogList {
    private(set) var dogs: [Dog] = []
    private var pages: Pages<DogPages>.AsyncIterator
    private var isLoading = false

    init(client: APIClient) {
        pages = client.pages(of: DogPages(), from: 1).makeAsyncIterator()
    }

    func loadMore() async throws {
        guard !isLoading else { return }
        isLoading = true
        defer { isLoading = false }
        var remaining = pages
        dogs += try await remaining.next() ?? []
        pages = remaining
    }
}
// snippet.end

func redirects(url: URL) -> APIClient {
    // snippet.redirects
    let client = APIClient(
        baseURL: url, transport: URLSession.shared.redirecting(.sameOrigin))
    // snippet.end
    return client
}
