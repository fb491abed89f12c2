// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// Which targets those may name who are not the operator: clients of the HTTP interface.
///
/// Of address blocks the narrowest that holds an address decides. At the same width ``denied`` wins over ``allowed``, and that
/// over ``standard(allowsLoopback:)``: a metadata service stays closed until somebody names its very address.
package struct TargetPolicy: Sendable, Hashable {
    /// What is asked, as far as policies tell it apart, by the configuration's name: that of the kind, `http` and `https` apart, or
    /// `push`.
    package struct Kind: Sendable, Hashable {
        /// The name.
        package let rawValue: String

        package init(_ name: String) { rawValue = name }

        /// A target that calls, and is not asked.
        package static let push = Kind("push")

        /// All, in the order of the documentation.
        package static let all = ProbeKind.all.flatMap(\.description.policies).map { Kind($0) } + [push]

        /// Finds one by its name.
        package init?(rawValue: String) {
            guard let kind = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = kind
        }
    }

    /// Why a target is refused.
    package struct Refusal: Error, Sendable, Hashable {
        /// What about it.
        package enum Subject: Sendable, Hashable {
            case address, kind, port, proxy
        }

        /// What about it.
        package let subject: Subject
        /// Why, in words that begin with what was refused.
        package let detail: String
    }

    /// Blocks that may be named; when there are some, no other may.
    package var allowed: [IPPrefix]
    /// Blocks that may not be named, besides those that are closed by default.
    package var denied: [IPPrefix]
    /// What may be asked.
    package var kinds: Set<Kind>
    /// The ports that may be asked; empty for all.
    package var ports: [ClosedRange<UInt16>]
    /// Whether this machine's loopback addresses may be named, which nobody else can reach.
    package var allowsLoopback: Bool
    /// Whether a probe may go through a proxy: it looks names up where this policy cannot look.
    package var allowsProxies: Bool

    /// Creates a policy; without arguments the default where only this machine's users can ask.
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

    /// The blocks that are closed by default: what answers to this machine alone and trusts it for that, as metadata services of
    /// clouds do, and what is nobody's address.
    package static func standard(allowsLoopback: Bool) -> [IPPrefix] { allowsLoopback ? closed : closed + loopback }

    /// Why the address may not be asked; nil when it may. The kernel must be given the very address that was checked here:
    /// another look-up of the name may find another one.
    package func refusal(of address: IPAddress) -> Refusal? {
        let address = address.unmapped
        switch decision(on: address) {
        case .denied(let block):
            return Refusal(subject: .address, detail: "\(address) is in \(block), which is closed")
        case .unlisted where !allowed.isEmpty:
            return Refusal(subject: .address, detail: "\(address) is in none of the blocks that are open")
        case .unlisted, .allowed:
            break
        }
        for inner in address.embeddedIPv4 {
            guard case .denied(let block) = decision(on: inner) else { continue }
            return Refusal(subject: .address, detail: "\(address) leads to \(inner) in \(block), which is closed")
        }
        return nil
    }

    /// Why such a question may not be asked; nil when it may.
    package func refusal(of kind: Kind) -> Refusal? {
        guard !kinds.contains(kind) else { return nil }
        let open = Kind.all.filter(kinds.contains).map(\.rawValue)
        let rest = open.isEmpty ? "nothing is" : "open are \(open.joined(separator: ", "))"
        return Refusal(subject: .kind, detail: "\(kind.rawValue) is not open for clients; \(rest)")
    }

    /// Why the port may not be asked; nil when it may.
    package func refusal(of port: UInt16) -> Refusal? {
        guard !ports.isEmpty, !ports.contains(where: { $0.contains(port) }) else { return nil }
        return Refusal(subject: .port, detail: "port \(port) is not open for clients")
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
        // "This network" (RFC 1122, section 3.2.1.3): the kernel takes 0.0.0.0 for itself.
        "0.0.0.0/8", "::/128",
        // Link-local (RFC 3927, RFC 4291), and in it the metadata of nearly all clouds and of their containers.
        "169.254.0.0/16", "fe80::/10", "169.254.169.254/32", "169.254.170.2/32", "169.254.170.23/32",
        // The same elsewhere: Amazon and Google by IPv6, Alibaba, Azure's agent, Oracle.
        "fd00:ec2::254/128", "fd00:ec2::23/128", "fd20:ce::254/128", "100.100.100.200/32", "168.63.129.16/32",
        "192.0.0.192/32",
        // Groups, and everybody on the link.
        "224.0.0.0/4", "255.255.255.255/32", "ff00::/8",
    ].compactMap { IPPrefix($0) }
}

extension TargetPolicy {
    /// Why a request is refused before anything is looked up; nil when nothing speaks against it yet.
    ///
    /// The addresses of a name, and where redirects lead, are checked by the run: ``ProbeRunner/start(_:under:completion:)``.
    package func refusal(of request: ProbeRequest) -> Refusal? {
        if let refusal = refusal(of: request.kind.policyKind) { return refusal }
        if let port = request.kind.port, let refusal = refusal(of: port) { return refusal }
        if case .http(let settings) = request.kind, let refusal = refusal(ofRouteOf: settings) { return refusal }
        return refusal(of: request.host)
    }

    /// Why the proxy of a request is not asked, or what it would ask; nil without one, and when nothing speaks against it yet.
    package func refusal(ofRouteOf settings: HTTPProbeSettings) -> Refusal? {
        guard let proxy = settings.proxy else { return nil }
        guard allowsProxies else { return Refusal(subject: .proxy, detail: "a proxy is not open for clients") }
        return refusal(of: proxy.host) ?? IPAddress(settings.url.host).flatMap(refusal(of:))
    }

    private func refusal(of host: ProbeHost) -> Refusal? {
        guard case .address(let address) = host else { return nil }
        return refusal(of: address)
    }

    /// Why a redirect is not followed, as far as the URL says; nil when nothing speaks against it yet.
    func refusal(of url: HTTPURL) -> Refusal? {
        refusal(of: Kind(url.isSecure ? "https" : "http")) ?? refusal(of: url.port)
            ?? IPAddress(url.host).flatMap(refusal(of:))
    }

    /// Why addresses that a name has are not asked; nil when all may be.
    func refusal(of addresses: some Sequence<IPAddress>) -> Refusal? {
        for address in addresses {
            if let refusal = refusal(of: address) { return refusal }
        }
        return nil
    }
}

extension TargetPolicy.Refusal {
    /// The refusal as a run's end.
    func fault(of name: String) -> ProbeFault {
        ProbeFault(reason: .targetDenied, detail: "\(name) is not asked: \(detail)")
    }
}
