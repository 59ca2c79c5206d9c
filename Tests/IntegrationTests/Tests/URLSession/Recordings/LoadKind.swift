import APIKit
import Foundation

/// A way to load a request with a session.
enum LoadKind: CaseIterable {
    case load, stream, download, upload
    case data, dataTask, dataTaskWithDelegate, uploadTask, uploadTaskWithDelegate
    #if !canImport(FoundationNetworking)
    // On Linux, a mock refuses download tasks.
    case downloadTask
    #endif

    /// The method of a request without a particular method.
    var method: String {
        switch self {
        case .upload, .uploadTask, .uploadTaskWithDelegate: "POST"
        default: "GET"
        }
    }

    /// Whether APIKit loads the request, in the same way on all platforms.
    ///
    /// Without it, the system follows redirects differently than a mock on Linux.
    var isByAPIKit: Bool { [.load, .stream, .download, .upload].contains(self) }

    /// Loads a request in this way with a new session.
    func outcome(
        of request: URLRequest, makeSession: ((any URLSessionDelegate)?) -> URLSession
    ) async throws -> Outcome {
        let delegate = RecordingDelegate()
        let isDelegated = [.dataTaskWithDelegate, .uploadTaskWithDelegate].contains(self)
        let session = makeSession(isDelegated ? delegate : nil)
        let result = await Result { try await load(request, with: session, delegate) }
        return Outcome(result, cookies: session.configuration.httpCookieStorage?.cookies ?? [])
    }

    private func load(
        _ request: URLRequest, with session: URLSession, _ delegate: RecordingDelegate
    ) async throws -> (Data, URLResponse?) {
        let client = APIClient(transport: session)
        let content = Data("Rex".utf8)
        switch self {
        case .load:
            let response = try await client.response(to: DataRequest(), with: request)
            return (response.value, response.http)
        case .stream:
            let response = try await client.stream(DataRequest(), with: request)
            return (try await response.value.data(), response.http)
        case .download:
            let directory = try TemporaryDirectory()
            let response = try await client.download(
                DataRequest(), with: request, to: directory.url("file"))
            return (try Data(contentsOf: response.value), response.http)
        case .upload:
            let data = try await client.upload(
                DataRequest(), with: request,
                from: .data(content, contentType: "application/octet-stream"))
            return (data, nil)
        case .data:
            return try await session.data(for: request)
        case .dataTask:
            return try await completion { session.dataTask(with: request, completionHandler: $0) }
        case .uploadTask:
            return try await completion {
                session.uploadTask(with: request, from: content, completionHandler: $0)
            }
        case .dataTaskWithDelegate:
            return try await delegate.load(session.dataTask(with: request))
        case .uploadTaskWithDelegate:
            return try await delegate.load(session.uploadTask(with: request, from: content))
        #if !canImport(FoundationNetworking)
        case .downloadTask:
            let (file, response) = try await session.download(for: request)
            defer { try? FileManager.default.removeItem(at: file) }
            return (try Data(contentsOf: file), response)
        #endif
        }
    }

    /// Resumes a task with a completion handler, and waits for its result.
    private func completion(
        of task: (@escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void)
            -> URLSessionTask
    ) async throws -> (Data, URLResponse?) {
        try await withCheckedThrowingContinuation { continuation in
            task { data, response, error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: (data ?? Data(), response))
                }
            }.resume()
        }
    }
}

extension RecordingDelegate {
    /// Resumes a task of a session with this delegate, and waits for its result.
    fileprivate func load(_ task: URLSessionTask) async throws -> (Data, URLResponse?) {
        task.resume()
        if let error = await completion() { throw error }
        return (body, task.response)
    }
}

/// What the code under test can observe of a load.
struct Outcome: Equatable {
    var status: Int?
    var url: URL?
    var headers: [String: String] = [:]
    var body: Data?
    var error: String?
    /// The cookies in the storage of the session.
    var cookies: [String]

    init(_ result: Result<(Data, URLResponse?), any Error>, cookies: [HTTPCookie]) {
        self.cookies = cookies.map { "\($0.name)=\($0.value) \($0.domain)\($0.path)" }.sorted()
        var response: URLResponse?
        switch result {
        case .success(let (data, head)):
            (body, response) = (data, head)
        case .failure(let error as APIError):
            (body, response) = (error.body, error.response)
            self.error = "\(error.kind)"
        case .failure(let error):
            self.error = "\(error)"
        }
        guard let head = response as? HTTPURLResponse else { return }
        (status, url) = (head.statusCode, head.url)
        for (name, value) in head.allHeaderFields {
            headers["\(name)".lowercased()] = "\(value)"
        }
        // They concern the connection and the time of the response, and the length before decoding.
        for name in ["connection", "date", "keep-alive", "transfer-encoding"] {
            headers[name] = nil
        }
        if headers["content-encoding"] != nil { headers["content-length"] = nil }
    }
}
