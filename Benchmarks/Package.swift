// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "APIKit", path: "..")],
    targets: [
        .target(
            name: "Workloads",
            dependencies: [
                .product(name: "APIKit", package: "APIKit"),
                .product(name: "APIKitTesting", package: "APIKit"),
            ]),
        .executableTarget(name: "Costs", dependencies: ["Workloads"]),
    ],
    swiftLanguageModes: [.v6]
)

// `.ci/costs` needs no other repository, and resolves none.
if Context.environment["ONLY_COSTS"] == nil {
    package.dependencies += [
        .package(path: "../Examples/AsyncHTTPClientTransport"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        // Its default traits count allocations with jemalloc, which not every machine has.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ]
    package.targets += [
        .target(
            name: "Transports",
            dependencies: [
                "Workloads",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "AsyncHTTPClientTransport", package: "AsyncHTTPClientTransport"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        .executableTarget(name: "Ratios", dependencies: ["Transports", "Workloads"]),
        .executableTarget(name: "PeakMemory", dependencies: ["Transports", "Workloads"]),
        .executableTarget(
            name: "APIKitBenchmarks",
            dependencies: [
                "Transports", "Workloads", .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/APIKitBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    ]
}

// APIKitTesting links XCTest and Testing. On macOS they are part of Xcode, where the dynamic linker
// does not search.
let xcode = Context.environment["DEVELOPER_DIR"] ?? "/Applications/Xcode.app/Contents/Developer"
let testLibraries = "\(xcode)/Platforms/MacOSX.platform/Developer"
let searchPaths = ["\(testLibraries)/Library/Frameworks", "\(testLibraries)/usr/lib"]
    .flatMap { ["-Xlinker", "-rpath", "-Xlinker", $0] }

for target in package.targets {
    if target.type == .executable {
        target.linkerSettings = [.unsafeFlags(searchPaths, .when(platforms: [.macOS]))]
    }
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
