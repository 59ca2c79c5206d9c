import APIKit
import Foundation

func makeClient() -> APIClient {
    // snippet.session
    let configuration = URLSessionConfiguration.default
    configuration.urlCache = nil
    let client = APIClient(
        baseURL: URL(string: "https://api.example.com/v1"),
        transport: URLSession(configuration: configuration))
    // snippet.end
    return client
}
