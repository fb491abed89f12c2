// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

// Runs the files beside this one, which are written as for Apple's systems, and prints what they report. AppleSourceTests starts it
// in a network that it makes.

import Foundation
import Network

/// Prints a line at once, from any thread.
func report(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

let token = NotificationCenter.default.addObserver(forName: .connectivityStatus, object: nil, queue: nil) { _ in
    let monitor = NetworkStatusMonitor.shared
    report("shared: \(monitor.isConnected) \(monitor.currentConnectionType.map { "\($0)" } ?? "none")")
}
NetworkStatusMonitor.shared.startMonitoring()

Task {
    for await path in NWPathMonitor().paths() { report("stream: \(path.statusText)") }
}

Task {
    for await path in NWPathMonitor(requiredInterfaceType: .wiredEthernet) { report("sequence: \(path.status)") }
}

dispatchMain()
