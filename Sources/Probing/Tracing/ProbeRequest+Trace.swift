// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

extension ProbeRequest {
    /// Returns the trace whose packets are like this probe's; nil for a probe through a proxy, whose target is not on the
    /// path.
    ///
    /// - Parameter address: The probed address.
    package func trace(to address: IPAddress) -> TraceRequest? {
        guard connectedHost == host else { return nil }
        let method: TraceRequest.Method
        switch kind {
        case .icmp: method = .icmp
        case .udp, .ntp, .dns:
            guard let port = kind.port else { return nil }
            method = .udp(port: port)
        case .tcp, .tls, .http, .grpc:
            guard let port = kind.port else { return nil }
            method = .tcp(port: port)
        }
        return TraceRequest(destination: address, method: method, source: source, interface: interface, mark: mark)
    }
}
