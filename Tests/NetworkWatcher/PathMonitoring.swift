// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

// In the manner of code that is written for tests and for concurrency: a protocol that the monitor conforms to, a handler that is set
// after the start, a stream, a switch over all statuses. Nothing in this file may be bent to Linux.

// swift-format-ignore-file

import Network

protocol PathMonitoring: AnyObject {
    var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? { get set }
    var currentPath: NWPath { get }
    func start(queue: DispatchQueue)
    func cancel()
}

extension NWPathMonitor: PathMonitoring {}

extension NWPathMonitor {
    func paths() -> AsyncStream<NWPath> {
        AsyncStream { continuation in
            start(queue: DispatchQueue(label: "NWPathMonitor.paths"))
            pathUpdateHandler = { path in
                continuation.yield(path)
            }
            continuation.onTermination = { [weak self] _ in
                self?.cancel()
            }
        }
    }
}

extension NWPath {
    var statusText: String {
        switch status {
        case .satisfied:
            let addresses = gateways.compactMap { gateway -> String? in
                guard case .hostPort(let host, _) = gateway, case .ipv4(let address) = host else { return nil }
                return "\(address)"
            }
            return "online \(availableInterfaces.map { $0.name }) \(addresses)"
        case .unsatisfied:
            switch unsatisfiedReason {
            case .cellularDenied, .wifiDenied, .localNetworkDenied, .vpnInactive: return "denied"
            case .notAvailable: return "offline"
            @unknown default: return "offline"
            }
        case .requiresConnection: return "connecting"
        @unknown default: return "unknown"
        }
    }
}
