import APIKit
import Foundation

/// A response as far as the client has received it, or as a file holds it.
///
/// The body has no content coding.
struct RecordedResponse: Sendable {
    /// The number of bytes of a streamed body to keep that no file needs, to limit the memory.
    static let bodyLimit = 1 << 24

    private enum End {
        case complete
        case incomplete(String)
        case failed(any Error)
    }

    /// The status, or 0 if there was no response.
    private(set) var status = 0
    var body = Data()
    /// The time of the response head, if it is known.
    var arrivedAt: Date?
    private let isWhole: Bool
    // Most responses are never written, so their fields stay as the system holds them.
    private var head: HTTPURLResponse?
    private var ownFields: [HeaderField] = []
    private var missingBytes = 0
    /// How the load has ended, or `nil` if it is in progress.
    private var end: End?

    /// Creates the response of a load, with its first events.
    ///
    /// - Parameters:
    ///   - events: The events.
    ///   - isWhole: Whether a file needs the whole body.
    init(_ events: [LoadingEvent] = [], isWhole: Bool = false) {
        self.isWhole = isWhole
        add(events)
    }

    /// Creates the response of a file, which is complete unless there is an error.
    init(status: Int, fields: [HeaderField] = [], body: Data = Data(), error: String? = nil) {
        (self.status, self.body, isWhole, ownFields) = (status, body, true, fields)
        self.error = error
    }

    /// Adds events of the load.
    mutating func add(_ events: [LoadingEvent]) {
        for event in events {
            switch event {
            case .response(let response):
                (head, status, arrivedAt) = (response, response.statusCode, Date())
            case .body(let data), .chunk(let data):
                let kept = isWhole ? data : data.prefix(Self.bodyLimit - body.count)
                // Share the bytes of a whole body with the route, if its indices start at zero.
                if body.isEmpty, kept.startIndex == 0 { body = kept } else { body += kept }
                missingBytes += data.count - kept.count
            case .finished:
                end =
                    missingBytes == 0
                    ? .complete : .incomplete("\(missingBytes) bytes of the body are not kept")
            case .failed(let error): end = .failed(error)
            }
        }
    }

    /// The header fields: those of a file in its order, and others in the order of their names.
    var fields: [HeaderField] {
        get { head.map { [HeaderField]($0.headers) } ?? ownFields }
        set { (head, ownFields) = (nil, newValue) }
    }

    /// The reason why the response is not complete, or `nil` if it is.
    var error: String? {
        get {
            switch end {
            case .complete?: nil
            case _ where isEndedStream: nil
            case .incomplete(let reason)?: reason
            case .failed(let error)?:
                error is CancellationError ? "the load was canceled" : APIError.clause(for: error)
            case nil: status == 0 ? "no response has arrived" : "the body is not complete"
            }
        }
        set { end = newValue.map(End.incomplete) ?? .complete }
    }

    /// Whether the response is a recorded stream of events that its reader has ended.
    ///
    /// Most readers end it at a marker such as `[DONE]`. What has arrived is then the whole response.
    var isEndedStream: Bool {
        switch end {
        case .complete?, .incomplete?: return false
        case .failed(let error)? where !(error is CancellationError): return false
        case .failed?, nil: break
        }
        return isWhole && !body.isEmpty
            && (fields.value(named: "Content-Type") ?? "").mediaType == "text/event-stream"
    }
}
