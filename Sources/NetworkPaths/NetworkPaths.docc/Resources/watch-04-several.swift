// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths

let targets = try CommandLine.arguments.dropFirst().map { try PathTarget(parsing: $0) }
try await withThrowingTaskGroup(of: Void.self) { group in
    for target in targets {
        let monitor = try PathMonitor(target)
        group.addTask {
            for await path in monitor.updates {
                print("\(target): \(path.status)", path.unsatisfiedReason?.rawValue ?? "")
            }
        }
    }
    try await group.waitForAll()
}
