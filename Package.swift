// swift-tools-version: 6.1
import PackageDescription

#if canImport(Darwin)
let apiKit = Target.target(name: "APIKit", resources: [.process("PrivacyInfo.xcprivacy")])
#else
// On Linux, a resource adds a folder beside every executable, and its absolute path to the module.
let apiKit = Target.target(name: "APIKit", exclude: ["PrivacyInfo.xcprivacy"])
#endif

let package = Package(
    name: "APIKit",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "APIKit", targets: ["APIKit"]),
        .library(name: "APIKitTesting", targets: ["APIKitTesting"]),
    ],
    targets: [
        apiKit,
        .target(name: "APIKitTesting", dependencies: ["APIKit"]),
        // The example and the scenarios are users of the package, so they compile without access to
        // `package` declarations.
        .executableTarget(
            name: "PointsOfInterest", dependencies: ["APIKit"],
            path: "Examples/PointsOfInterest", exclude: ["README.md"], packageAccess: false),
        // The target BackendTests runs the exchanges, and each test package of Tests and Examples again.
        .testTarget(name: "BackendTests", dependencies: ["APIKit", "APIKitTesting"]),
        .testTarget(
            name: "APIKitTests", dependencies: ["APIKit", "APIKitTesting"],
            exclude: ["Shared/Public/Exchanges"]),
        .testTarget(
            name: "APIKitTestingTests", dependencies: ["APIKit", "APIKitTesting"],
            exclude: ["Shared/Public/Exchanges"],
            resources: [.copy("Fixtures"), .copy("Snippets/Recordings")]),
        .testTarget(
            name: "PointsOfInterestTests",
            dependencies: ["PointsOfInterest", "APIKit", "APIKitTesting"], packageAccess: false),
        .testTarget(
            name: "ScenarioTests", dependencies: ["APIKit", "APIKitTesting"],
            exclude: [
                "README.md", "PointsOfInterest/README.md", "PointsOfInterest/Pictures",
                "Users/Recordings",
                // Its networking module would be a scheme in Xcode, so .ci/consumer builds it.
                "Cattery",
            ],
            resources: [.copy("DogPatch/dogs.json")], packageAccess: false),
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
