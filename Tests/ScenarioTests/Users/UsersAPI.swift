import APIKitTesting
import Foundation

/// The API that the tests run against: a double, or a real server whose address is in `USERS_API`.
///
/// A real server says whether the double still tells the truth. `.ci/users-api` starts one.
enum UsersAPI {
    static let server = ProcessInfo.processInfo.environment["USERS_API"].flatMap(URL.init(string:))

    static let baseURL = server ?? URL(string: "https://users.example")
}

extension MockResponse {
    /// The answer of the real server if there is one, and otherwise that of the double.
    static func real(or double: MockResponse) -> MockResponse {
        UsersAPI.server == nil ? double : .passthrough
    }
}
