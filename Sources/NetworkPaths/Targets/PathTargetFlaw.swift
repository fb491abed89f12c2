// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Addresses

/// Why a target is refused where it is declared, although every part of it can be read.
public enum PathTargetFlaw: Sendable, Hashable {
    /// A link-local IPv6 address without an interface: the kernel would take any (L7).
    case linkLocalWithoutInterface(IPAddress)
    /// The sides of a pair are of different families: no packet has such addresses.
    case mixedFamilies(local: IPAddress, remote: IPAddress)

    /// What is wrong, to stand behind the target's name.
    public var words: String {
        switch self {
        case .linkLocalWithoutInterface: IPAddress.missingInterface
        case .mixedFamilies(let local, let remote): "mixes families: \(local) sends no packets to \(remote)"
        }
    }

    /// What to write instead.
    public var hint: String {
        switch self {
        case .linkLocalWithoutInterface(let address): address.missingInterfaceHint
        case .mixedFamilies: "write two IPv4 or two IPv6 addresses"
        }
    }
}

extension PathTarget {
    /// What is wrong with the target as a whole; nil for nothing.
    public var flaw: PathTargetFlaw? {
        switch self {
        case .address(let address, nil): return Self.flaw(of: address)
        case .pair(let local, let remote?):
            if let local, local.unmapped.family != remote.unmapped.family {
                return .mixedFamilies(local: local, remote: remote)
            }
            return Self.flaw(of: remote)
        case .address, .pair, .defaultPath, .name: return nil
        }
    }

    private static func flaw(of address: IPAddress) -> PathTargetFlaw? {
        address.needsInterface ? .linkLocalWithoutInterface(address) : nil
    }
}
