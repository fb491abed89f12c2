// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import HTTPServer

/// The sockets that the service listens on: those of the configuration, with what the service manager handed over in
/// their places.
struct ServiceListeners: Sendable {
    /// The sockets, in the order of the configuration.
    private(set) var listeners: [Listener] = []
    /// Whether one of those that were handed over can be reached from other machines.
    private(set) var takesStrangers = false
    /// Handed-over sockets that no entry of the configuration takes.
    let unused: [String]

    /// - Throws: ``ServiceFailure`` when sockets are wanted that were not handed over.
    init(_ places: [ListenSettings], activation: SocketActivation) throws(ServiceFailure) {
        var used: Set<ObjectIdentifier> = []
        for place in places {
            let certificate = place.tls.map { CertificateFiles(certificate: $0.certificateFile, key: $0.keyFile) }
            guard case .systemd(let name) = place.address else {
                listeners.append(Listener(.address(ServerAddress(place)), certificate: certificate))
                continue
            }
            let sockets = activation.sockets(named: name)
            guard !sockets.isEmpty else { throw Self.missing(place.address, activation) }
            for socket in sockets where used.insert(ObjectIdentifier(socket)).inserted {
                listeners.append(Listener(.inherited(socket), certificate: certificate))
                if !socket.address.isLocal { takesStrangers = true }
            }
        }
        unused = activation.sockets.filter { !used.contains(ObjectIdentifier($0)) }.map { "\($0.address)" }
    }

    private static func missing(
        _ address: Configuration.ListenAddress,
        _ activation: SocketActivation
    ) -> ServiceFailure {
        let found = activation.sockets.map { $0.name.isEmpty ? "one without a name" : $0.name }
        let next =
            found.isEmpty
            ? "the service manager handed no socket over; start reachd by a systemd socket unit, or choose an address"
            : "the service manager handed over \(found.joined(separator: ", ")); see FileDescriptorName= of the socket unit"
        return ServiceFailure(.unavailable, ["reachd: cannot listen on \(address): \(next)"])
    }
}

extension ServerAddress {
    /// What the configuration says, in the server's words; a socket that is handed over has none.
    fileprivate init(_ place: ListenSettings) {
        self =
            switch place.address {
            case .tcp(let address, let port): .tcp(host: "\(address)", port: port)
            case .everywhere(let port): .tcp(host: "*", port: port)
            case .unix(let path): .unix(path: path, mode: place.mode ?? Self.defaultMode)
            case .systemd(let name): .unix(path: "@\(name ?? "")", mode: Self.defaultMode)
            }
    }

    /// Whether only this machine can connect.
    fileprivate var isLocal: Bool {
        switch self {
        case .tcp(let host, _): host == "::1" || host.hasPrefix("127.")
        case .unix: true
        }
    }
}
