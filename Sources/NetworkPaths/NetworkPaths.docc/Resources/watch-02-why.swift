// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths

let monitor = try PathMonitor()
for await path in monitor.updates {
    switch path.status {
    case .satisfied:
        print("a packet can leave through \(path.interface?.name ?? "-"), by way of \(path.gateways)")
    default:
        print("no packet can leave: \(path.unsatisfiedReason?.rawValue ?? "not known yet")")
    }
}
