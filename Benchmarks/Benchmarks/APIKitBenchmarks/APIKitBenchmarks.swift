import Benchmark
import Transports
import Workloads

let benchmarks: @Sendable () -> Void = {
    for workload in Workload.all(over: Transport.all) {
        let isTransfer = workload.byteCount != nil
        Benchmark(
            workload.name,
            configuration: .init(
                metrics: isTransfer
                    ? [.wallClock, .throughput, .cpuTotal, .peakMemoryResident]
                    : [.wallClock, .throughput],
                warmupIterations: isTransfer ? 1 : 100,
                scalingFactor: BenchmarkScalingFactor(rawValue: workload.count) ?? .one,
                maxDuration: .seconds(2),
                maxIterations: 10_000
            )
        ) { _, run in
            try await run()
        } setup: {
            try await workload.prepare()
        }
    }
}
