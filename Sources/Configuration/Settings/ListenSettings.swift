// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import HTTPServer

/// One place where the HTTP interface listens, and how.
package struct ListenSettings: Sendable, Hashable {
    /// Where the sockets come from.
    package enum Source: Sendable, Hashable {
        /// reachd makes one.
        case address(ListenAddress)
        /// A service manager hands them over: those of a name (`FileDescriptorName=`), or all.
        case systemd(name: String?)
    }

    /// Where the sockets come from.
    package var source: Source
    /// With which certificate; nil for plain HTTP.
    package var tls: CertificateFiles?

    /// A place with nothing special about it.
    package init(_ source: Source, tls: CertificateFiles? = nil) {
        self.source = source
        self.tls = tls
    }

    /// The service's standard address.
    package static let standard = ListenSettings(.address(.tcp(host: "127.0.0.1", port: 7532)))

    /// The address; nil for sockets that are handed over.
    package var address: ListenAddress? {
        if case .address(let address) = source { address } else { nil }
    }

    /// Whether only this machine can connect. Not known of sockets that are handed over before they are there; the guard against
    /// foreign names stays up until then.
    package var isLocal: Bool { address?.isLocal ?? true }
}

extension ListenSettings: CustomStringConvertible {
    /// The form that the configuration takes.
    package var description: String { source.description }
}

extension ListenSettings.Source: CustomStringConvertible {
    /// The form that the configuration takes.
    package var description: String {
        switch self {
        case .address(let address): address.description
        case .systemd(let name): name.map { "systemd:\($0)" } ?? "systemd"
        }
    }
}
