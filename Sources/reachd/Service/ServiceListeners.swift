// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import HTTPServer
import ReachAPI

/// The sockets that the service listens on: those of the configuration, with what the service manager passed in
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
            let name: String?
            switch place.source {
            case .address(let address):
                listeners.append(Listener(.address(address), certificate: place.tls))
                continue
            case .systemd(let wanted): name = wanted
            }
            let sockets = activation.sockets(named: name)
            guard !sockets.isEmpty else { throw Self.missing(place.source, activation) }
            for socket in sockets where used.insert(ObjectIdentifier(socket)).inserted {
                listeners.append(Listener(.inherited(socket), certificate: place.tls))
                if !socket.address.isLocal { takesStrangers = true }
            }
        }
        unused = activation.sockets.filter { !used.contains(ObjectIdentifier($0)) }.map { "\($0.address)" }
    }

    /// The settings of the interface, with what the configuration could not know of sockets that are handed over.
    func apiSettings(_ configured: HTTPSettings) -> APISettings {
        var settings = configured.api
        if takesStrangers, !configured.namesHosts { settings.hosts = .any }
        return settings
    }

    private static func missing(
        _ source: ListenSettings.Source,
        _ activation: SocketActivation
    ) -> ServiceFailure {
        let found = activation.sockets.map { $0.name.isEmpty ? "one without a name" : $0.name }
        let next =
            found.isEmpty
            ? "the service manager passed no socket; start reachd with a systemd socket unit, or choose an address"
            : "the service manager passed \(found.joined(separator: ", ")); see FileDescriptorName= of the socket unit"
        return ServiceFailure(.unavailable, ["reachd: cannot listen on \(source): \(next)"])
    }
}
