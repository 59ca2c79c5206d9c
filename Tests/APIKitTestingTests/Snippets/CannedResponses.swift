import APIKit
import Foundation

func makeCannedTransport() -> CannedTransport {
    // snippet.transport
    let transport = CannedTransport()
        .reply(to: PupsRequest(), with: "akita", .json([Pup(id: 1, name: "Rex")]))
        .reply(to: PupsRequest(), with: "boxer", .status(503).delayed(.seconds(2)))
    // snippet.end
    return transport
}
