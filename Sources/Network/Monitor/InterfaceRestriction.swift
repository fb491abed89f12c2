// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import NetworkPaths

/// The interfaces that a monitor permits, and the path that follows from the state of the network. Pure.
package enum InterfaceRestriction: Sendable, Hashable {
    /// All interfaces.
    case none
    /// Those of one type.
    case required(NWInterface.InterfaceType)
    /// Those of other types.
    case prohibited(Set<NWInterface.InterfaceType>)

    /// The path under this restriction.
    func path(of paths: InterfacePaths) -> NWPath {
        let usable = paths.interfaces.filter { !$0.routes.isEmpty }
        guard self != .none else {
            // The kernel's choice may be dead while another interface works: packets that are bound to none are lost then.
            let isSatisfied = paths.defaultPath.status == .satisfied
            return path(of: paths, by: isSatisfied ? usable : [], status: paths.defaultPath.status)
        }
        let permitted = (self == .required(.loopback) ? [paths.loopback].compactMap(\.self) : usable).filter(permits)
        let needsConnection = paths.defaultPath.status == .requiresConnection && permitsConnection(paths.defaultPath)
        return path(
            of: paths,
            by: permitted,
            status: !permitted.isEmpty ? .satisfied : needsConnection ? .requiresConnection : .unsatisfied
        )
    }

    private func path(of paths: InterfacePaths, by available: [InterfacePath], status: PathStatus) -> NWPath {
        var used = available.filter { !$0.chosenFor.isEmpty }.map { ($0, families: $0.chosenFor) }
        if used.isEmpty, let first = available.first { used = [(first, Set(first.routes.keys))] }
        func supports(_ family: AddressFamily) -> Bool { used.contains { $0.families.contains(family) } }
        let gateways = AddressFamily.allCases.flatMap { family in
            used.compactMap { path, families in
                families.contains(family)
                    ? path.routes[family]?.gateway.map { NWEndpoint($0, by: path.interface) } : nil
            }
        }
        return NWPath(
            status: NWPath.Status(status),
            availableInterfaces: available.map { NWInterface($0.interface) },
            isExpensive: used.contains(where: \.0.isExpensive),
            isConstrained: used.contains(where: \.0.isConstrained),
            supportsIPv4: supports(.ipv4),
            supportsIPv6: supports(.ipv6),
            supportsDNS: paths.supportsDNS,
            gateways: gateways,
            usedTypes: used.reduce(into: []) { $0.formUnion(Self.types(of: $1.0)) },
            explanation: explanation(paths, status)
        )
    }

    private func permits(_ path: InterfacePath) -> Bool {
        switch self {
        case .none: true
        case .required(let type): NWInterface.InterfaceType(path.interface.type) == type
        case .prohibited(let types): types.isDisjoint(with: Self.types(of: path))
        }
    }

    /// Whether a declared connection would lead through a permitted interface. All that is known of it is whether it is cellular.
    private func permitsConnection(_ path: NetworkPath) -> Bool {
        let type: NWInterface.InterfaceType = path.flags.contains(.isWWAN) ? .cellular : .other
        return switch self {
        case .none: true
        case .required(let required): type == required
        case .prohibited(let types): !types.contains(type)
        }
    }

    /// The types of interface that packets through this one use: its own, and that of the modem under a tunnel.
    private static func types(of path: InterfacePath) -> Set<NWInterface.InterfaceType> {
        let own = NWInterface.InterfaceType(path.interface.type)
        return path.leadsThroughModem ? [own, .cellular] : [own]
    }

    /// Why packets cannot leave, in words; nil while they can.
    private func explanation(_ paths: InterfacePaths, _ status: PathStatus) -> String? {
        guard status != .satisfied else { return nil }
        guard self != .none else {
            let place = paths.defaultPath.interface.map { ", \($0.name)" } ?? ""
            return paths.defaultPath.unsatisfiedReason.map { "\($0.words)\(place)" }
        }
        guard let path = paths.interfaces.first(where: permits), let reason = path.unsatisfiedReason else {
            return "no permitted interface has a default route"
        }
        return "\(reason.words), \(path.interface.name)"
    }
}

extension UnsatisfiedReason {
    fileprivate var words: String { rawValue.replacing("_", with: " ") }
}
