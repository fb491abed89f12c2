// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Addresses
internal import LinuxIO

/// What a path leads to (R40).
public enum PathTarget: Sendable, Hashable {
    /// The default path: is there any usable network (R41), of one family and through one interface if given.
    case defaultPath(family: AddressFamily? = nil, interface: String? = nil)
    /// One address, through one interface if given.
    case address(IPAddress, interface: String? = nil)
    /// Packets between a local and a remote address; at least one of them is given (R43).
    case pair(local: IPAddress?, remote: IPAddress?)
    /// A host name, resolved by DNS and the hosts file.
    case name(String)
}

extension PathTarget {
    /// Reads a target as users write it: `default`, `default%eth1`, an address, `ADDRESS%INTERFACE`, `LOCAL>REMOTE`,
    /// `LOCAL>` or a name.
    ///
    /// - Throws: ``PathTargetError`` with the next step, for a URL or `host:port` among others, and for a ``flaw``.
    public init(parsing text: String) throws(PathTargetError) {
        try self.init(reading: text)
        if let flaw { throw PathTargetError(message: "'\(text)' \(flaw.words); \(flaw.hint)") }
    }

    private init(reading text: String) throws(PathTargetError) {
        guard !text.isEmpty else { throw PathTargetError(message: "a target is empty") }
        if let arrow = text.firstIndex(of: ">") {
            let remote = text[text.index(after: arrow)...]
            let local = try Self.address(text[..<arrow], in: text)
            self = .pair(local: local, remote: remote.isEmpty ? nil : try Self.address(remote, in: text))
            return
        }
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let interface = parts.count == 2 ? parts[1] : nil
        if let interface, interface.isEmpty || interface.utf8.count > 127 || interface.contains("/") {
            throw PathTargetError(message: "'\(text)' has no interface after %")
        }
        if parts[0] == "default" {
            self = .defaultPath(interface: interface)
        } else if let address = IPAddress(parts[0]) {
            self = .address(address, interface: interface)
        } else if interface != nil {
            throw PathTargetError(message: "'\(text)' binds a name to an interface; only addresses and default can be")
        } else {
            self = .name(try Self.hostName(text))
        }
    }

    /// The target as the engine judges it: zero addresses are the default path (R41), mapped addresses are IPv4
    /// ones (linux-paths 3.2), names that are literals are addresses (R40), equal sides of a pair are one (R43).
    var normalized: PathTarget {
        switch self {
        case .defaultPath: self
        case .address(let address, let interface):
            address.unmapped.isUnspecified
                ? .defaultPath(interface: interface) : .address(address.unmapped, interface: interface)
        case .pair(let local, let remote):
            Self.normalizedPair(local?.unmapped, remote?.unmapped)
        case .name(let name):
            IPAddress(name).map { PathTarget.address($0).normalized } ?? self
        }
    }

    private static func normalizedPair(_ local: IPAddress?, _ remote: IPAddress?) -> PathTarget {
        guard let local else { return remote.map { PathTarget.address($0).normalized } ?? .defaultPath() }
        guard let remote, remote != local else { return .pair(local: local, remote: nil) }
        // A loopback source cannot leave the machine; as on a Mac it is ignored then (linux-paths 4.1).
        if local.isLoopback, !remote.isLoopback { return PathTarget.address(remote).normalized }
        return .pair(local: local, remote: remote)
    }

    private static func address(_ text: Substring, in whole: String) throws(PathTargetError) -> IPAddress {
        guard let address = IPAddress(String(text)) else {
            throw PathTargetError(message: "'\(whole)': '\(text)' is not an address; a pair is LOCAL>REMOTE or LOCAL>")
        }
        return address
    }

    /// Checks a host name's syntax, drops trailing dots (R42) and returns its ASCII form (IDNA).
    public static func hostName(_ text: String) throws(PathTargetError) -> String {
        if text.contains("://") {
            throw PathTargetError(message: "'\(text)' is a URL; give the host name alone")
        }
        if text.contains("/") || text.contains("@") || text.contains("?") {
            throw PathTargetError(message: "'\(text)' has a path or a user in it; give the host name alone")
        }
        if text.contains(":") {
            throw PathTargetError(message: "'\(text)' has a port or is an invalid address; give the host name alone")
        }
        guard let ascii = InternationalName.ascii(text) else {
            throw PathTargetError(message: "'\(text)' is not a host name")
        }
        var name = ascii[...]
        while name.last == "." { name = name.dropLast() }
        let isPlain = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
        }
        guard isPlain, !name.isEmpty, name.utf8.count <= 253,
            name.split(separator: ".", omittingEmptySubsequences: false)
                .allSatisfy({ !$0.isEmpty && $0.utf8.count <= 63 })
        else { throw PathTargetError(message: "'\(text)' is not a host name") }
        return String(name)
    }
}

/// A text that names no target.
public struct PathTargetError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, and what would be right.
    public let message: String

    /// Creates an error.
    public init(message: String) {
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

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
        case .mixedFamilies(let local, let remote): "mixes address families: \(local) cannot send packets to \(remote)"
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
