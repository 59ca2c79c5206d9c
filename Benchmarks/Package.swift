// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "APIKit", path: ".."),
        // Without its traits, which count allocations by means that not every machine has.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        .target(
            name: "Workloads",
            dependencies: [
                .product(name: "APIKit", package: "APIKit"),
                .product(name: "APIKitTesting", package: "APIKit"),
            ]),
        .executableTarget(name: "Ratios", dependencies: ["Workloads"]),
        .executableTarget(name: "PeakMemory", dependencies: ["Workloads"]),
        .executableTarget(
            name: "APIKitBenchmarks",
            dependencies: ["Workloads", .product(name: "Benchmark", package: "benchmark")],
            path: "Benchmarks/APIKitBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
