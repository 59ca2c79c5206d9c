import APIKit
import Foundation

/// A screen that shows a walk, the way of its dog, and how much of a photo has been sent.
@MainActor final class WalkModel {
    private(set) var walk: Walk?
    private(set) var positions: [Position] = []
    private(set) var sentFraction = 0.0
    private(set) var message: String?
    /// The task that reads the positions, until the server ends them or the user leaves.
    private(set) var following: Task<Void, Never>?
    /// Called after each change, for the screen to show it.
    var onChange: () -> Void = {}
    private let client: APIClient
    private let id: Int

    init(client: APIClient, id: Int) {
        self.client = client
        self.id = id
    }

    func load() async {
        await run { walk = try await client.load(WalkRequest(), with: id) }
    }

    func appear() {
        guard following == nil else { return }
        following = Task {
            await run { try await readPositions() }
            following = nil
        }
    }

    func leave() {
        following?.cancel()
    }

    func send(photo: Data) async {
        await run {
            try await client.upload(
                AddPhoto(), with: id, from: .data(photo, contentType: "image/jpeg")
            ) { @MainActor progress in
                self.sentFraction = progress.fraction ?? 0
                self.onChange()
            }
        }
    }

    private func readPositions() async throws {
        let response = try await client.stream(PositionsRequest(), with: id)
        for try await event in response.value.events {
            positions.append(try JSONDecoder().decode(Position.self, from: Data(event.data.utf8)))
            onChange()
        }
    }

    /// Shows the failure of some work, unless it is canceled.
    private func run(_ work: () async throws -> Void) async {
        do {
            try await work()
            message = nil
        } catch is CancellationError {
            // The user has left the screen.
        } catch {
            message = error.localizedDescription
        }
        onChange()
    }
}
