import Foundation
import Workloads
@main struct Probe {
    static func main() {
        let name = CommandLine.arguments[1], count = Int(CommandLine.arguments[2]) ?? 1
        guard let workload = Workload.all.first(where: { $0.name == name }) else { fatalError() }
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            let run = try await workload.prepare()
            for _ in 0..<count { try await run() }
            done.signal()
        }
        done.wait()
    }
}
