// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths

let target = try PathTarget(parsing: CommandLine.arguments.dropFirst().first ?? "default")
let monitor = try PathMonitor(target)
for await path in monitor.updates {
    switch path.status {
    case .satisfied:
        print("\(target): a packet can leave through \(path.interface?.name ?? "-")")
    default:
        print("\(target): no packet can leave: \(path.unsatisfiedReason?.rawValue ?? "not known yet")")
    }
}
