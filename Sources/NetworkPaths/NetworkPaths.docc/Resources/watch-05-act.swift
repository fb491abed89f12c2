// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths

/// Sends what is waiting whenever a packet can leave, and at no cost while none can.
struct Outbox {
    let monitor: PathMonitor

    func run(sending send: @Sendable () async -> Void) async {
        var wasSatisfied = false
        for await path in monitor.updates {
            let isSatisfied = path.status == .satisfied && !path.isExpensive
            // A path that changed from one interface to another does not require sending again.
            if isSatisfied, !wasSatisfied { await send() }
            wasSatisfied = isSatisfied
        }
    }
}

let outbox = Outbox(monitor: try PathMonitor(.name("backup.example.org")))
await outbox.run { print("sending") }
