import Foundation

/// A step of sending the body of a request.
struct UploadStep: Sendable {
    typealias Report = @Sendable (UploadStep) async -> Void

    let bytesSent: Int
    let totalBytesSent: Int
    /// The length of the body, or `NSURLSessionTransferSizeUnknown`.
    let totalBytesExpectedToSend: Int64
}
