// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths
import Schema

/// Where the HTTP interface listens.
package enum ListenAddress: Sendable, Hashable {
    /// A TCP port of an address; port 0 takes any free one.
    case tcp(IPAddress, port: UInt16)
    /// A TCP port of all addresses, IPv6 and IPv4 where the machine has them.
    case everywhere(port: UInt16)
    /// A socket in the file system.
    case unix(path: String)
    /// Sockets that a service manager hands over: those of a name (`FileDescriptorName=`), or all.
    case systemd(name: String?)

    /// The service's standard address.
    package static let standard = ListenAddress.tcp(IPAddress(ipv4: 0x7f00_0001), port: 7532)

    /// Whether only this machine can connect.
    package var isLocal: Bool {
        switch self {
        case .tcp(let address, _): address.isLoopback
        case .everywhere: false
        case .unix: true
        // Not known before they are there; the guard against foreign names stays up until then.
        case .systemd: true
        }
    }

    /// Reads the form that the configuration takes; nil when it is none.
    package init?(_ text: String) {
        guard let address = try? ListenAddress(reading: text) else { return nil }
        self = address
    }

    /// Reads `127.0.0.1:7532`, `[::1]:7532`, `*:7532`, `localhost:7532`, `unix:/run/reachd.sock`, `systemd`
    /// or `systemd:web`.
    init(reading text: String) throws(Complaint) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/"), !path.hasSuffix("/") else {
                throw Complaint(
                    "is not a socket's path",
                    hint: "write unix: and a path from the root: unix:/run/reachd.sock"
                )
            }
            // sun_path has room for 107 bytes and the zero after them.
            guard path.utf8.count <= 107 else { throw Complaint("is longer than the 107 bytes of a socket's path") }
            self = .unix(path: path)
            return
        }
        if text == "systemd" {
            self = .systemd(name: nil)
            return
        }
        if text.hasPrefix("systemd:") {
            let name = String(text.dropFirst(8))
            guard (1...255).contains(name.utf8.count), name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
                !name.contains(":")
            else {
                throw Complaint(
                    "names no socket",
                    hint: "write systemd for all sockets, or systemd: and what FileDescriptorName= says"
                )
            }
            self = .systemd(name: name)
            return
        }
        if let port = Self.port(text) {
            throw Complaint("has no address", hint: "write 127.0.0.1:\(port), or *:\(port) for all addresses")
        }
        if text.hasPrefix("/") { throw Complaint("has no scheme", hint: "write unix:\(text)") }
        if let address = IPAddress(text) {
            let written = address.family == .ipv6 ? "[\(address)]" : "\(address)"
            throw Complaint("has no port", hint: "write \(written):7532")
        }
        let (host, portText) = AddressText.splitPort(text[...])
        guard let portText else {
            throw Complaint("is not an address and a port", hint: "write for example 127.0.0.1:7532")
        }
        guard let port = Self.port(portText) else {
            throw Complaint("has no port between 0 and 65535 behind its colon")
        }
        if let address = IPAddress(String(host)), (address.family == .ipv6) == text.hasPrefix("[") {
            self = .tcp(address, port: port)
            return
        }
        switch host {
        case "", "*": self = .everywhere(port: port)
        case "localhost": self = .tcp(IPAddress(ipv4: 0x7f00_0001), port: port)
        default: throw Complaint("is not an IP address and a port", hint: "write for example 127.0.0.1:\(port)")
        }
    }

    private static func port(_ text: some StringProtocol) -> UInt16? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt16(text)
    }
}

extension ListenAddress: CustomStringConvertible {
    /// The form that the configuration takes.
    package var description: String {
        switch self {
        case .tcp(let address, let port): address.family == .ipv6 ? "[\(address)]:\(port)" : "\(address):\(port)"
        case .everywhere(let port): "*:\(port)"
        case .unix(let path): "unix:\(path)"
        case .systemd(let name): name.map { "systemd:\($0)" } ?? "systemd"
        }
    }
}
