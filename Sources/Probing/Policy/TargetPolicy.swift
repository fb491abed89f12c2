// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// The targets that API clients, unlike the operator, may set.
///
/// The most specific address block decides. Between blocks of the same width, ``denied`` wins over ``allowed``, which
/// wins over ``standard(allowsLoopback:)``: a metadata service is denied until its exact address is allowed.
package struct TargetPolicy: Sendable, Hashable {
    /// What policies distinguish, by its configuration name: the kinds of probes, with `http` and `https` apart, `push`
    /// and `traffic`.
    package struct Kind: Sendable, Hashable {
        /// The name.
        package let rawValue: String

        package init(_ name: String) { rawValue = name }

        /// A target that sends heartbeats and is not probed.
        package static let push = Kind("push")

        /// A target that is not probed, and whose connections with this machine are observed.
        package static let traffic = Kind("traffic")

        /// All kinds, in the order of the documentation.
        package static let all = ProbeKind.all.flatMap(\.description.policies).map { Kind($0) } + [push, traffic]

        /// Returns the kind with a name; nil for an unknown one.
        package init?(rawValue: String) {
            guard let kind = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = kind
        }
    }

    /// The error for a denied target.
    package struct Refusal: Error, Sendable, Hashable {
        /// The denied part of the target.
        package enum Subject: Sendable, Hashable {
            case address, kind, port, proxy
        }

        /// The denied part of the target.
        package let subject: Subject
        /// The explanation; it begins with the denied value.
        package let detail: String
    }

    /// The allowed blocks; unless empty, all other addresses are denied.
    package var allowed: [IPPrefix]
    /// The denied blocks, in addition to the defaults.
    package var denied: [IPPrefix]
    /// The allowed kinds.
    package var kinds: Set<Kind>
    /// The allowed ports; empty for all.
    package var ports: [ClosedRange<UInt16>]
    /// Whether loopback addresses are allowed, which only this machine can reach.
    package var allowsLoopback: Bool
    /// Whether proxies are allowed; a proxy resolves names out of this policy's reach.
    package var allowsProxies: Bool

    /// Creates a policy; without arguments it is the default for an API that only local users can reach.
    package init(
        allowed: [IPPrefix] = [],
        denied: [IPPrefix] = [],
        kinds: Set<Kind> = Set(Kind.all),
        ports: [ClosedRange<UInt16>] = [],
        allowsLoopback: Bool = true,
        allowsProxies: Bool = false
    ) {
        self.allowed = allowed
        self.denied = denied
        self.kinds = kinds
        self.ports = ports
        self.allowsLoopback = allowsLoopback
        self.allowsProxies = allowsProxies
    }

    /// The default denied blocks: services that answer only this machine and trust it for that, such as clouds'
    /// metadata services, and addresses that belong to no host.
    package static func standard(allowsLoopback: Bool) -> [IPPrefix] { allowsLoopback ? closed : closed + loopback }

    /// Returns the reason to deny the address; nil when it is allowed. The kernel must connect to the same address:
    /// another lookup of the name may return a different one.
    package func refusal(of address: IPAddress) -> Refusal? {
        let address = address.unmapped
        switch decision(on: address) {
        case .denied(let block):
            return Refusal(subject: .address, detail: "\(address) is in the denied block \(block); see access.targets")
        case .unlisted where !allowed.isEmpty:
            return Refusal(subject: .address, detail: "\(address) is not in an allowed block; see access.targets.allow")
        case .unlisted, .allowed:
            break
        }
        for inner in address.embeddedIPv4 {
            guard case .denied(let block) = decision(on: inner) else { continue }
            return Refusal(
                subject: .address,
                detail: "\(address) embeds \(inner) of the denied block \(block); see access.targets"
            )
        }
        return nil
    }

    /// Returns the reason to deny the kind; nil when it is allowed.
    package func refusal(of kind: Kind) -> Refusal? {
        guard !kinds.contains(kind) else { return nil }
        let open = Kind.all.filter(kinds.contains).map(\.rawValue)
        let rest = open.isEmpty ? "none" : "\(open.joined(separator: ", "))"
        return Refusal(
            subject: .kind,
            detail: "\(kind.rawValue) is not allowed for API clients (allowed: \(rest)); see access.targets.kinds"
        )
    }

    /// Returns the reason to deny the port; nil when it is allowed.
    package func refusal(of port: UInt16) -> Refusal? {
        guard !ports.isEmpty, !ports.contains(where: { $0.contains(port) }) else { return nil }
        return Refusal(subject: .port, detail: "port \(port) is not allowed for API clients; see access.targets.ports")
    }

    private enum Decision {
        case allowed
        case denied(IPPrefix)
        case unlisted
    }

    private func decision(on address: IPAddress) -> Decision {
        let open = Self.narrowest(of: allowed, around: address)
        let shut = Self.narrowest(of: denied, around: address)
        let closed = Self.narrowest(of: Self.standard(allowsLoopback: allowsLoopback), around: address)
        if let open, open.length > shut?.length ?? -1, open.length >= closed?.length ?? -1 { return .allowed }
        guard let block = [shut, closed].compactMap(\.self).max(by: { $0.length < $1.length }) else { return .unlisted }
        return .denied(block)
    }

    private static func narrowest(of blocks: [IPPrefix], around address: IPAddress) -> IPPrefix? {
        blocks.lazy.filter { $0.contains(address) }.max { $0.length < $1.length }
    }

    private static let loopback = ["127.0.0.0/8", "::1/128"].compactMap { IPPrefix($0) }

    private static let closed = [
        // "This network" (RFC 1122, section 3.2.1.3): the kernel treats 0.0.0.0 as itself.
        "0.0.0.0/8", "::/128",
        // Link-local (RFC 3927, RFC 4291), which includes the metadata services of nearly all clouds and their
        // containers.
        "169.254.0.0/16", "fe80::/10", "169.254.169.254/32", "169.254.170.2/32", "169.254.170.23/32",
        // Other metadata services: Amazon and Google over IPv6, Alibaba, Azure's agent, Oracle.
        "fd00:ec2::254/128", "fd00:ec2::23/128", "fd20:ce::254/128", "100.100.100.200/32", "168.63.129.16/32",
        "192.0.0.192/32",
        // Multicast and broadcast.
        "224.0.0.0/4", "255.255.255.255/32", "ff00::/8",
    ].compactMap { IPPrefix($0) }
}

extension TargetPolicy {
    /// Returns the reason to deny a request before name resolution; nil when it is allowed so far.
    ///
    /// The run checks the addresses of names and the destinations of redirects:
    /// ``ProbeRunner/start(_:under:completion:)``.
    package func refusal(of request: ProbeRequest) -> Refusal? {
        if let refusal = refusal(of: request.kind.policyKind) { return refusal }
        if let port = request.kind.port, let refusal = refusal(of: port) { return refusal }
        if case .http(let settings) = request.kind, let refusal = refusal(ofRouteOf: settings) { return refusal }
        return refusal(of: request.host)
    }

    /// Returns the reason to deny the proxy of a request or its URL; nil without a proxy, or when it is allowed so far.
    package func refusal(ofRouteOf settings: HTTPProbeSettings) -> Refusal? {
        guard let proxy = settings.proxy else { return nil }
        guard allowsProxies else {
            return Refusal(
                subject: .proxy,
                detail: "proxies are not allowed for API clients; see access.targets.proxies"
            )
        }
        return refusal(of: proxy.host) ?? IPAddress(settings.url.host).flatMap(refusal(of:))
    }

    private func refusal(of host: ProbeHost) -> Refusal? {
        guard case .address(let address) = host else { return nil }
        return refusal(of: address)
    }

    /// Returns the reason to deny a redirect by its URL; nil when it is allowed so far.
    func refusal(of url: HTTPURL) -> Refusal? {
        refusal(of: Kind(url.isSecure ? "https" : "http")) ?? refusal(of: url.port)
            ?? IPAddress(url.host).flatMap(refusal(of:))
    }

    /// Returns the reason to deny any of a name's addresses; nil when all are allowed.
    func refusal(of addresses: some Sequence<IPAddress>) -> Refusal? {
        for address in addresses {
            if let refusal = refusal(of: address) { return refusal }
        }
        return nil
    }
}

extension TargetPolicy.Refusal {
    /// Converts the refusal to the fault that ends a run.
    func fault(of name: String) -> ProbeFault {
        ProbeFault(reason: .targetDenied, detail: "\(name) is denied: \(detail)")
    }
}
