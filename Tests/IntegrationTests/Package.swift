// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "IntegrationTests",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    dependencies: [
        .package(name: "APIKit", path: "../.."),
        .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
    ],
    targets: [
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                .product(name: "APIKit", package: "APIKit"),
                .product(name: "APIKitTesting", package: "APIKit"),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ],
            path: "Tests",
            exclude: ["Shared/TLS/Server"],
            linkerSettings: [
                // See TrustingSession.swift.
                .unsafeFlags(
                    ["-Xlinker", "--export-dynamic-symbol=curl_easy_init"],
                    .when(platforms: [.linux]))
            ])
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
