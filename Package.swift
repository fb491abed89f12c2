// swift-tools-version:6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The files of the web page, which are embedded.
let pageFiles = [
    "index.html", "style.css", "icon.svg", "access.js", "api.js", "certificates.js", "charts.js", "choices.js",
    "days.js", "declaring.js", "details.js", "docs.css", "docs.html", "docs.js", "dom.js", "editor.js",
    "evidence.js", "fields.js", "filter.js", "fleet.js", "form.js", "fresh.js", "incident.js", "incidents.css",
    "incidents.js", "keys.js", "kinds.js", "latencies.js", "list.css", "list.js", "log.js", "main.js", "network.js",
    "panel.css", "row.js", "scope.js", "store.js", "stream.js", "timelines.js", "tips.js", "trace.js", "uplinks.js",
    "views.js", "votes.js", "wall.js", "words.js", "yaml.js",
]

/// Each module lists the modules that it may import (ARCHITECTURE.md, "Modules").
let package = Package(
    name: "reachd",
    products: [
        .executable(name: "reachd", targets: ["reachd"]),
        .library(name: "ActivityTracking", targets: ["ActivityTracking"]),
        .library(name: "KeyValueObserving", targets: ["KeyValueObserving"]),
        .library(name: "NetworkPaths", targets: ["NetworkPaths"]),
        .library(name: "SystemConfiguration", targets: ["SystemConfiguration"]),
        .library(name: "Network", targets: ["Network"]),
        .library(name: "NetworkReachability", targets: ["NetworkReachability"]),
        .library(name: "SessionActivity", targets: ["SessionActivity"]),
        .library(name: "ServerTrust", targets: ["ServerTrust"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
    ],
    targets: [
        // C, only for what Swift cannot import.
        .target(name: "CLinux"),
        .target(name: "CAres", linkerSettings: [.linkedLibrary("cares")]),
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "CIDN", linkerSettings: [.linkedLibrary("idn2")]),
        .target(name: "CYAML", linkerSettings: [.linkedLibrary("yaml")]),
        .target(name: "CZlib", linkerSettings: [.linkedLibrary("z")]),
        .target(name: "CMicroHTTPD", linkerSettings: [.linkedLibrary("microhttpd"), .linkedLibrary("gnutls")]),
        .target(name: "COpenSSL", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        .target(name: "CPostgreSQL", linkerSettings: [.linkedLibrary("pq"), .linkedLibrary("ssl")]),
        .target(name: "CPublicSuffix", linkerSettings: [.linkedLibrary("psl")]),
        .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),

        // Layer 0
        .target(name: "Addresses"),
        .target(name: "LinuxIO", dependencies: ["Addresses", "CLinux", "CAres", "CIDN"]),
        .target(name: "JSON"),

        // Layer 1
        .target(name: "KeyValueObserving"),
        .target(name: "ActivityTracking"),
        .target(name: "NetworkPaths", dependencies: ["Addresses", "LinuxIO", "CLinux"]),
        .target(name: "SystemConfiguration", dependencies: ["NetworkPaths", "LinuxIO"]),
        .target(name: "Network", dependencies: ["NetworkPaths", "Addresses"]),
        .target(name: "HTTPServer", dependencies: ["Addresses", "CMicroHTTPD", "CZlib", "LinuxIO"]),
        .target(name: "BlockingHTTP", dependencies: ["CCurl", "LinuxIO"]),
        .target(name: "Schema", dependencies: ["Addresses", "LinuxIO"]),
        .target(name: "ServerTrust", dependencies: ["LinuxIO", "COpenSSL", "CPublicSuffix"]),
        .target(name: "Traffic", dependencies: ["Addresses", "LinuxIO", "CLinux"]),
        .target(name: "PostgreSQL", dependencies: ["Addresses", "LinuxIO", "CPostgreSQL"]),

        // Layer 2
        .target(name: "Diagnosis", dependencies: ["Addresses"]),
        .target(
            name: "Probing",
            dependencies: [
                "ServerTrust", "Schema", "Addresses", "LinuxIO", "JSON", "CLinux", "CCurl", "COpenSSL", "CZlib",
            ]
        ),
        .target(name: "Discovery", dependencies: ["BlockingHTTP", "Schema", "Addresses", "LinuxIO", "JSON"]),
        .target(
            name: "NetworkReachability",
            dependencies: ["SystemConfiguration", "NetworkPaths", "KeyValueObserving", "ActivityTracking"]
        ),

        // Layer 3
        .target(name: "SessionActivity", dependencies: ["NetworkReachability"]),
        .target(
            name: "Monitoring",
            dependencies: [
                "Probing", "Diagnosis", "Traffic", "ServerTrust", "NetworkPaths", "Schema", "KeyValueObserving",
                "ActivityTracking", "Addresses", "LinuxIO", "JSON",
            ]
        ),

        .target(name: "History", dependencies: ["Monitoring", "Diagnosis", "Traffic", "LinuxIO", "JSON", "CSQLite"]),

        .target(
            name: "Notifying",
            dependencies: [
                "Fleet", "Monitoring", "History", "Probing", "ServerTrust", "NetworkPaths", "Schema", "LinuxIO", "JSON",
            ]
        ),

        .target(name: "Fleet", dependencies: ["Monitoring", "PostgreSQL", "LinuxIO", "JSON"]),

        // Layer 4
        .target(
            name: "ReachAPI",
            dependencies: [
                "Notifying", "Fleet", "Monitoring", "History", "Probing", "Traffic", "ServerTrust", "NetworkPaths",
                "Schema", "KeyValueObserving", "ActivityTracking", "HTTPServer", "LinuxIO", "JSON",
            ],
            resources: [.embedInCode("openapi.yaml")] + pageFiles.map { .embedInCode("Page/Files/\($0)") }
        ),

        // Layer 5
        .target(
            name: "Configuration",
            dependencies: [
                "ReachAPI", "HTTPServer", "Notifying", "Fleet", "Monitoring", "History", "Probing", "ServerTrust",
                "PostgreSQL", "NetworkPaths", "Discovery", "Schema", "LinuxIO", "JSON", "CYAML",
            ]
        ),
        .target(
            name: "Targets",
            dependencies: [
                "Configuration", "History", "Monitoring", "Probing", "NetworkPaths", "Discovery", "Schema", "LinuxIO",
                "JSON",
            ]
        ),
        .target(
            name: "Importing",
            dependencies: ["Configuration", "History", "Monitoring", "Probing", "Schema", "Addresses", "LinuxIO"]
        ),

        // Layer 6
        .executableTarget(
            name: "reachd",
            dependencies: [
                "ReachAPI", "Importing", "Targets", "Configuration", "Notifying", "Fleet", "Monitoring", "History",
                "Probing", "Traffic", "ServerTrust", "PostgreSQL", "NetworkPaths", "HTTPServer", "BlockingHTTP",
                "Schema", "LinuxIO", "JSON",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // Tests
        .target(name: "CTestSupport", path: "Tests/CTestSupport"),
        .target(
            name: "TestSupport",
            dependencies: ["LinuxIO", "NetworkPaths", "CTestSupport"],
            path: "Tests/TestSupport"
        ),
        .testTarget(name: "JSONTests", dependencies: ["JSON", "TestSupport"]),
        .testTarget(name: "AddressesTests", dependencies: ["Addresses"]),
        .testTarget(name: "DiagnosisTests", dependencies: ["Diagnosis", "Addresses", "TestSupport"]),
        .testTarget(name: "LinuxIOTests", dependencies: ["Addresses", "LinuxIO", "TestSupport"]),
        .testTarget(name: "KeyValueObservingTests", dependencies: ["KeyValueObserving"]),
        .testTarget(name: "ActivityTrackingTests", dependencies: ["ActivityTracking", "TestSupport"]),
        .testTarget(name: "NetworkPathsTests", dependencies: ["NetworkPaths", "LinuxIO", "CLinux", "TestSupport"]),
        .testTarget(
            name: "SystemConfigurationTests",
            dependencies: ["SystemConfiguration", "NetworkPaths", "LinuxIO", "TestSupport"]
        ),
        .testTarget(name: "NetworkTests", dependencies: ["Network", "NetworkPaths", "TestSupport"]),
        .executableTarget(name: "NetworkWatcher", dependencies: ["Network"], path: "Tests/NetworkWatcher"),
        .testTarget(name: "AppleSourceTests", dependencies: ["SystemConfiguration", "Network", "TestSupport"]),
        .testTarget(
            name: "NetworkReachabilityTests",
            dependencies: [
                "NetworkReachability", "SystemConfiguration", "KeyValueObserving", "ActivityTracking", "TestSupport",
            ]
        ),
        .testTarget(
            name: "SessionActivityTests",
            dependencies: ["SessionActivity", "NetworkReachability", "KeyValueObserving", "TestSupport"]
        ),
        .testTarget(
            name: "ServerTrustTests",
            dependencies: ["ServerTrust", "LinuxIO", "TestSupport"],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "ProbingTests",
            dependencies: [
                "Probing", "ServerTrust", "Addresses", "LinuxIO", "JSON", "COpenSSL", "TestSupport",
            ]
        ),
        .testTarget(name: "TrafficTests", dependencies: ["Traffic", "Addresses", "LinuxIO", "CLinux", "TestSupport"]),
        .testTarget(name: "PostgreSQLTests", dependencies: ["PostgreSQL", "LinuxIO", "TestSupport"]),
        .testTarget(
            name: "DiscoveryTests",
            dependencies: ["Discovery", "BlockingHTTP", "HTTPServer", "Schema", "LinuxIO", "TestSupport"]
        ),
        .testTarget(name: "HTTPServerTests", dependencies: ["Addresses", "HTTPServer", "LinuxIO", "TestSupport"]),
        .target(
            name: "MonitoringTestSupport",
            dependencies: ["History", "Monitoring", "NetworkPaths"],
            path: "Tests/MonitoringTestSupport"
        ),
        .testTarget(
            name: "MonitoringTests",
            dependencies: [
                "Notifying", "Monitoring", "Diagnosis", "Probing", "Traffic", "ServerTrust", "NetworkPaths",
                "KeyValueObserving", "ActivityTracking", "Addresses", "LinuxIO", "MonitoringTestSupport", "TestSupport",
            ]
        ),
        .testTarget(
            name: "ConfigurationTests",
            dependencies: [
                "Configuration", "Fleet", "ReachAPI", "HTTPServer", "Notifying", "Monitoring", "History", "Probing",
                "PostgreSQL", "ServerTrust", "NetworkPaths", "Discovery", "Schema", "TestSupport",
            ]
        ),
        .testTarget(
            name: "TargetsTests",
            dependencies: [
                "Targets", "Configuration", "Discovery", "History", "Monitoring", "NetworkPaths", "Schema", "LinuxIO",
                "MonitoringTestSupport", "TestSupport",
            ]
        ),
        .testTarget(
            name: "ImportingTests",
            dependencies: [
                "Importing", "Configuration", "Notifying", "Monitoring", "History", "Probing", "NetworkPaths", "Schema",
                "LinuxIO", "TestSupport",
            ],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "ReachAPITests",
            dependencies: [
                "ReachAPI", "Targets", "Configuration", "Notifying", "Monitoring", "History", "Probing", "Traffic",
                "ServerTrust", "NetworkPaths", "ActivityTracking", "HTTPServer", "KeyValueObserving", "LinuxIO",
                "Fleet", "PostgreSQL", "Schema", "MonitoringTestSupport", "TestSupport", "Yams",
            ],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "HistoryTests",
            dependencies: [
                "History", "Monitoring", "Diagnosis", "Probing", "Traffic", "NetworkPaths", "Addresses", "LinuxIO",
                "MonitoringTestSupport", "TestSupport",
            ]
        ),
        .testTarget(
            name: "NotifyingTests",
            dependencies: [
                "Notifying", "Fleet", "History", "Monitoring", "Probing", "NetworkPaths", "Schema", "LinuxIO",
                "MonitoringTestSupport", "TestSupport",
            ],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "FleetTests",
            dependencies: [
                "Fleet", "JSON", "Monitoring", "NetworkPaths", "PostgreSQL", "Probing", "ServerTrust", "LinuxIO",
                "MonitoringTestSupport", "TestSupport",
            ]
        ),
        .testTarget(name: "ServiceTests", dependencies: ["BlockingHTTP", "PostgreSQL", "LinuxIO", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu17
)

/// scripts/simulate sets this variable: only the simulated networks and the targets that they depend on are left. Optimized
/// code of all tests cannot be compiled: it crashes the compiler.
if Context.environment["SIMULATION"] != nil,
    let tests = package.targets.first(where: { $0.name == "MonitoringTests" })
{
    func name(_ dependency: Target.Dependency) -> String? {
        if case .byNameItem(let name, _) = dependency { name } else { nil }
    }
    tests.path = "Tests/MonitoringTests/Simulation"
    // Only NotifierLagTests uses it, which is in another folder.
    tests.dependencies.removeAll { name($0) == "Notifying" }
    var needed = [tests]
    var number = 0
    while number < needed.count {
        let names = needed[number].dependencies.compactMap(name)
        needed += package.targets.filter { target in
            names.contains(target.name) && !needed.contains { $0 === target }
        }
        number += 1
    }
    package.targets = needed
    package.products = []
    package.dependencies = []
}

/// Warnings are errors in development: scripts/test and .ci/run set the variable. Elsewhere a deprecation in a newer library must
/// not fail the build.
let warningsAreErrors = Context.environment["WARNINGS"] == "errors"
let fatalSwiftWarnings: [SwiftSetting] = warningsAreErrors ? [.treatAllWarnings(as: .error)] : []  // SE-0443
let fatalCWarnings: [CSetting] = warningsAreErrors ? [.treatAllWarnings(as: .error)] : []

let strictSwift: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470
    .enableUpcomingFeature("ImmutableWeakCaptures"),  // SE-0481
    .strictMemorySafety(),  // SE-0458
]

/// The settings that source code for Apple's systems is usually compiled with.
let ordinarySwift: [SwiftSetting] = [.swiftLanguageMode(.v5)]

let strictC: [CSetting] = [
    .define("_GNU_SOURCE"),
    .enableWarning("all"),
    .enableWarning("extra"),
    .enableWarning("nullability-completeness"),
]

for target in package.targets {
    if target.name.hasPrefix("C"), target.name != "Configuration", target.name != "ConfigurationTests" {
        target.cSettings = strictC + fatalCWarnings
    } else if ["AppleSourceTests", "NetworkWatcher"].contains(target.name) {
        target.swiftSettings = ordinarySwift + fatalSwiftWarnings
    } else {
        target.swiftSettings = strictSwift + fatalSwiftWarnings
    }
}
