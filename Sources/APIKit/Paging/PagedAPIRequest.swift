import Foundation

/// A kind of request for a list that comes in pages.
///
/// The output is one page, and the input says which. What the next page is asked for with may be in
/// the output, as a cursor is, in the head of the response, as a link is, or in the last input, as
/// an offset is.
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
    /// Returns the input for the page after one that was loaded.
    ///
    /// With a `Link` header that is `response.http.link(relation: "next")`, where the input is a URL. With a link
    /// in the body it is `try response.http.resolve(link)`.
    ///
    /// - Parameters:
    ///   - response: The page with the head of its response.
    ///   - input: The input that the page was asked for with.
    /// - Returns: The input for the next page, or `nil` if there is none. If the input is optional
    ///   itself, one that is `nil` ends the list as well.
    /// - Throws: Any error; it reaches who asks for the next page, as itself.
    func nextInput(
        after response: APIResponse<ResponseDataType>,
        from input: RequestDataType
    ) throws -> RequestDataType?
}
