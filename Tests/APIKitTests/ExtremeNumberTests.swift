import APIKit
import APIKitTesting
import Foundation
import Testing

/// Numbers at the ends of their types, any of which could end the process.
@Suite struct ExtremeNumberTests {
    @Test(arguments: [Int.max, .min, Int(Int32.max) + 1])
    func systemErrorOfAnyCodeHasADescription(code: Int) {
        let cause = NSError(domain: NSPOSIXErrorDomain, code: code)

        #expect(APIError(.transport, underlying: cause).description.hasPrefix("The request failed"))
    }

    @Test(arguments: [
        Duration.seconds(Int64.max), .seconds(Int64.max) * 15, .seconds(Int64.min) * 15,
    ])
    func logTakesAnyDuration(duration: Duration) throws {
        let lines = Locked<[String]>([])
        let call = APICall(request: try .make(), apiRequest: EchoRequest())
        let clock = JumpingClock(step: duration)
        let observer = LogObserver(call, clock: clock) { line in lines.withLock { $0.append(line) }
        }

        observer.callFailed(with: CancellationError())

        #expect(lines.current.count == 1)
    }

    #if os(Linux)
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/shm")))
    func formOfFilesThatAreTooLargeIsRefused() throws {
        let file = URL(filePath: "/dev/shm/APIKitTests-\(UUID())")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        // A hole, which takes no memory.
        guard truncate(file.path, off_t.max - 4_095) == 0 else { return }
        let body = HTTPBody.multipart([.file("a", file), .file("b", file)])

        let error = #expect(throws: APIError.self) { try body.length() }

        #expect(error?.kind == .invalidRequest("its body is too large"))
    }
    #endif
}

/// A clock whose every look is later by a step.
private struct JumpingClock: Clock {
    typealias Instant = ManualClock.Instant

    let step: Duration
    private let clock = ManualClock()
    private let count = Locked(0)

    init(step: Duration) {
        self.step = step
    }

    var minimumResolution: Duration { .zero }
    var now: Instant {
        let count = count.withLock { count in
            defer { count += 1 }
            return count
        }
        return count == 0 ? clock.now : clock.now.advanced(by: step)
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}
