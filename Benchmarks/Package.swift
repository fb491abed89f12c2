// swift-tools-version:6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// A package of its own, so that users of the libraries never resolve or build a benchmark.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "reachd", path: "..")],
    targets: [
        .executableTarget(name: "EventLatency"),
        .executableTarget(
            name: "PathPasses",
            dependencies: [.product(name: "NetworkPaths", package: "reachd")]
        ),
        .executableTarget(
            name: "TrustVerdicts",
            dependencies: [.product(name: "ServerTrust", package: "reachd")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
