// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import HTTPServer
import NetworkPaths
import Schema

/// One address of the HTTP interface, with its settings.
package struct ListenSettings: Sendable, Hashable {
    /// The origin of the sockets.
    package enum Source: Sendable, Hashable {
        /// reachd creates one.
        case address(ListenAddress)
        /// A service manager passes them: those of a name (`FileDescriptorName=`), or all.
        case systemd(name: String?)
    }

    /// The origin of the sockets.
    package var source: Source
    /// The certificate; nil for plain HTTP.
    package var tls: CertificateFiles?

    /// Creates settings.
    package init(_ source: Source, tls: CertificateFiles? = nil) {
        self.source = source
        self.tls = tls
    }

    /// The service's default address.
    package static let standard = ListenSettings(.address(.tcp(host: "127.0.0.1", port: 7532)))

    /// The address; nil for passed sockets.
    package var address: ListenAddress? {
        if case .address(let address) = source { address } else { nil }
    }

    /// Whether only this machine can connect. Not known for passed sockets in advance; the check of host names stays
    /// enabled until then.
    package var isLocal: Bool { address?.isLocal ?? true }
}

extension ListenSettings: CustomStringConvertible {
    /// The configuration's format.
    package var description: String { source.description }
}

extension ListenSettings.Source: CustomStringConvertible {
    /// The configuration's format.
    package var description: String {
        switch self {
        case .address(let address): address.description
        case .systemd(let name): name.map { "systemd:\($0)" } ?? "systemd"
        }
    }
}

extension ListenSettings {
    /// Reads the configuration's format; nil for an invalid text.
    package init?(_ text: String) {
        guard let source = try? Source(reading: text) else { return nil }
        self.init(source)
    }
}

extension ListenSettings.Source {
    /// Reads `127.0.0.1:7532`, `[::1]:7532`, `*:7532`, `localhost:7532`, `unix:/run/reachd.sock`, `systemd`
    /// or `systemd:web`.
    init(reading text: String) throws(Diagnostic) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else {
                throw Diagnostic(
                    "is not a socket's path",
                    hint: "write unix: and a path from the root: unix:/run/reachd.sock"
                )
            }
            // sun_path holds 107 bytes and a NUL.
            guard path.utf8.count <= 107 else { throw Diagnostic("is longer than the 107 bytes of a socket's path") }
            self = .address(.unix(path: path, mode: ListenAddress.defaultMode))
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
                throw Diagnostic(
                    "names no socket",
                    hint: "write systemd for all sockets, or systemd: and the socket's FileDescriptorName="
                )
            }
            self = .systemd(name: name)
            return
        }
        if let port = Self.port(text) {
            throw Diagnostic("has no address", hint: "write 127.0.0.1:\(port), or *:\(port) for all addresses")
        }
        if text.hasPrefix("/") { throw Diagnostic("has no scheme", hint: "write unix:\(text)") }
        if let address = IPAddress(text) {
            let written = address.family == .ipv6 ? "[\(address)]" : "\(address)"
            throw Diagnostic("has no port", hint: "write \(written):7532")
        }
        let (host, portText) = AddressText.splitPort(text[...])
        guard let portText else {
            throw Diagnostic("is not an address and a port", hint: "write for example 127.0.0.1:7532")
        }
        guard let port = Self.port(portText) else {
            throw Diagnostic("has no port between 0 and 65535 after its colon")
        }
        if let address = IPAddress(String(host)), (address.family == .ipv6) == text.hasPrefix("[") {
            self = .address(.tcp(host: "\(address)", port: port))
            return
        }
        switch host {
        case "", "*": self = .address(.tcp(host: "*", port: port))
        case "localhost": self = .address(.tcp(host: "127.0.0.1", port: port))
        default: throw Diagnostic("is not an IP address and a port", hint: "write for example 127.0.0.1:\(port)")
        }
    }

    private static func port(_ text: some StringProtocol) -> UInt16? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt16(text)
    }
}

extension ListenAddress {
    /// Whether only this machine can connect, as far as the address determines that.
    package var isLocal: Bool {
        switch self {
        case .tcp(let host, _): IPAddress(host)?.isLoopback ?? false
        case .unix: true
        }
    }
}
