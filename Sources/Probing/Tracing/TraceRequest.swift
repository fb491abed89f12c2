// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// One trace: the destination, the kind of packets, their source and the limits.
package struct TraceRequest: Sendable, Hashable {
    /// The kind of packets to send.
    package enum Method: Sendable, Hashable {
        /// SYNs of real connections to a port. A connection that is established is reset at once.
        case tcp(port: UInt16)
        /// Datagrams to a port.
        case udp(port: UInt16)
        /// Echo requests; need `net.ipv4.ping_group_range` or `CAP_NET_RAW` (icmp(7)).
        case icmp

        /// The destination port; nil for echo requests.
        package var port: UInt16? {
            switch self {
            case .tcp(let port), .udp(let port): port
            case .icmp: nil
            }
        }
    }

    /// The destination. The caller decides whether packets may be sent to it.
    package var destination: IPAddress
    /// The kind of packets.
    package var method: Method
    /// The source address, of the destination's family; nil for the kernel's choice.
    package var source: IPAddress?
    /// The interface to send through, by name.
    package var interface: String?
    /// The packets' mark (`SO_MARK`) for routing rules; needs `CAP_NET_ADMIN`.
    package var mark: UInt32?
    /// The largest TTL (hop limit) to send, 1 to 64. Packets with the usual TTL of 64 come no further than that.
    package var maximumHops: Int
    /// The maximum number of packets for each hop, 1 to 10. A TCP trace repeats only hops that do not answer.
    package var attempts: Int
    /// The time limit of the whole trace, at most a minute.
    package var timeLimit: Duration

    /// Creates a request; everything except destination and method has a default.
    package init(
        destination: IPAddress,
        method: Method,
        source: IPAddress? = nil,
        interface: String? = nil,
        mark: UInt32? = nil,
        maximumHops: Int = 64,
        attempts: Int = 3,
        timeLimit: Duration = .seconds(2)
    ) {
        self.destination = destination
        self.method = method
        self.source = source
        self.interface = interface
        self.mark = mark
        self.maximumHops = maximumHops
        self.attempts = attempts
        self.timeLimit = timeLimit
    }

    /// The source of the packets, as sockets need it.
    var origin: ProbeOrigin { ProbeOrigin(source: source, interface: interface, mark: mark) }

    /// Throws when the request is not within its limits.
    func check() throws(ProbeFault) {
        let words: String? =
            if !(1...64).contains(maximumHops) {
                "maximumHops is \(maximumHops) (1 to 64)"
            } else if !(1...10).contains(attempts) {
                "attempts is \(attempts) (1 to 10)"
            } else if timeLimit <= .zero || timeLimit > .seconds(60) {
                "timeLimit is \(timeLimit) (up to 60 seconds)"
            } else if method.port == 0 {
                "port 0 cannot be traced"
            } else if destination.isUnspecified || destination.isMulticast {
                "\(destination) is not the address of one machine"
            } else {
                nil
            }
        if let words { throw ProbeFault(reason: .invalidRequest, detail: words) }
    }
}

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
