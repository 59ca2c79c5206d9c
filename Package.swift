// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "APIKit",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "APIKit", targets: ["APIKit"]),
        .library(name: "APIKitTesting", targets: ["APIKitTesting"]),
    ],
    targets: [
        .target(name: "APIKit"),
        .target(name: "APIKitTesting", dependencies: ["APIKit"]),
        .executableTarget(
            name: "PointsOfInterest", dependencies: ["APIKit"],
            path: "Examples/PointsOfInterest", exclude: ["README.md"]),
        .testTarget(name: "APIKitTests", dependencies: ["APIKit", "APIKitTesting"]),
        .testTarget(
            name: "APIKitTestingTests", dependencies: ["APIKit", "APIKitTesting"],
            resources: [.copy("Fixtures"), .copy("Snippets/Recordings")]),
        .testTarget(
            name: "PointsOfInterestTests",
            dependencies: ["PointsOfInterest", "APIKit", "APIKitTesting"]),
        .testTarget(
            name: "ScenarioTests", dependencies: ["APIKit", "APIKitTesting"],
            exclude: [
                "README.md", "PointsOfInterest/README.md", "PointsOfInterest/Pictures",
                "Users/server.py", "Users/Recordings",
            ],
            resources: [.copy("DogPatch/dogs.json")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
        .enableUpcomingFeature("ExistentialAny"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
