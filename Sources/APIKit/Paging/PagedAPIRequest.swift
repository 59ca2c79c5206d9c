import Foundation

/// A request type for a list that the server sends in pages.
///
/// The input selects a page, and the output is that page. The input of the next page can come from
/// the output (a cursor), from the head of the response (a link), or from the last input (an offset).
///
/// ```swift
/// struct DogsRequest: PagedAPIRequest {
///     typealias ResponseDataType = [Dog]
///
///     func makeRequest(from page: Int) throws -> URLRequest {
///         try URLRequest(.get, "dogs", query: ["page": page])
///     }
///
///     func nextInput(after response: APIResponse<[Dog]>, from page: Int) -> Int? {
///         response.value.isEmpty ? nil : page + 1
///     }
/// }
/// ```
///
/// ``APIClient/pages(of:from:)`` loads the pages; ``APIClient/load(_:with:)`` loads one.
public protocol PagedAPIRequest<RequestDataType, ResponseDataType>: APIRequest {
    /// Returns the input of the next page.
    ///
    /// If the input is a URL, it is `response.http.link(relation: "next")` for a `Link` header field,
    /// and `try response.http.resolve(link)` for a link in the body.
    ///
    /// - Parameters:
    ///   - response: The last page with the head of its response.
    ///   - input: The input of the last page.
    /// - Returns: The input of the next page, or `nil` after the last one. If the input type is an
    ///   optional, an input that is `nil` ends the list as well.
    /// - Throws: Any error. The iterator throws it unchanged when the loop asks for the next page.
    func nextInput(
        after response: APIResponse<ResponseDataType>,
        from input: RequestDataType
    ) throws -> RequestDataType?
}
