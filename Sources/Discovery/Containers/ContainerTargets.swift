// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Schema

/// The targets of containers. Pure, but for the addresses that it remembers: a container that is stopped has none, and stays a target.
struct ContainerTargets {
    private let settings: ContainerSettings
    /// The addresses of monitored containers by the engine's id, as they were when the container was alive.
    private var known: [String: String] = [:]
    /// What was left out, for the operator.
    private(set) var notes: [LogMessage] = []

    init(_ settings: ContainerSettings) {
        self.settings = settings
    }

    /// Makes the items of a list, ordered by id.
    mutating func items(of containers: [Container]) -> [DiscoveredItem] {
        notes = []
        var best: [String: (container: Container, labels: ContainerLabels)] = [:]
        for container in containers {
            let labels = ContainerLabels(container.labels)
            for fault in labels.faults { note(container, fault) }
            // Without a label only what runs: jobs that have ended are no outage.
            guard labels.isEnabled ?? (settings.all && container.isAlive) else { continue }
            let id = Self.id(of: container, labels)
            // While a container is replaced there are two with one id for a moment.
            if let other = best[id]?.container, !Self.isBetter(container, than: other) { continue }
            best[id] = (container, labels)
        }
        let items = best.sorted { $0.key < $1.key }.compactMap { item($0.value.container, $0.value.labels, id: $0.key) }
        let present = Set(best.values.map(\.container.id))
        known = known.filter { present.contains($0.key) }
        return items
    }

    private static func isBetter(_ container: Container, than other: Container) -> Bool {
        if container.isAlive != other.isAlive { return container.isAlive }
        return (container.created, container.id) > (other.created, other.id)
    }

    // MARK: A container

    private mutating func item(_ container: Container, _ labels: ContainerLabels, id: String) -> DiscoveredItem? {
        guard let address = address(of: container, labels) else { return nil }
        let place = "container \(DisplayText.line(container.name, limit: 128))"
        var tags = ["container": container.name, "image": container.image]
        tags["compose_project"] = labels.composition?.project
        tags["compose_service"] = labels.composition?.service
        let isHTTP = address.contains("://")
        return DiscoveredItem(
            address: address,
            id: id,
            name: labels.name ?? labels.composition.map(Self.name) ?? container.name,
            labels: tags.sorted { $0.key < $1.key }.map {
                DiscoveredItem.Label($0.key, DisplayText.line($0.value, limit: 256))
            } + (isHTTP ? [DiscoveredItem.Label("__param_module", "http")] : []),
            declaration: DiscoveredItem.Declaration(
                group: labels.group ?? labels.composition?.project,
                probe: labels.probe,
                in: "\(place), label reachd.probe"
            ),
            place: .source(place)
        )
    }

    /// The id: `container:PROJECT:SERVICE`, with the number if the service has several, or `container:NAME`. It stays when a
    /// container is made again.
    private static func id(of container: Container, _ labels: ContainerLabels) -> String {
        guard let composition = labels.composition else {
            return DiscoveredItem.identifier(["container", container.name])
        }
        let number = composition.number == "1" ? [] : [composition.number]
        return DiscoveredItem.identifier(["container", composition.project, composition.service] + number)
    }

    private static func name(_ composition: ContainerLabels.Composition) -> String {
        let number = composition.number == "1" ? "" : " \(composition.number)"
        return "\(composition.project) \(composition.service)\(number)"
    }

    // MARK: The address

    private mutating func address(of container: Container, _ labels: ContainerLabels) -> String? {
        if let url = labels.url { return url }
        guard container.isAlive else {
            if let address = known[container.id] { return address }
            note(container, "it is stopped, and its address is known only when it runs")
            return nil
        }
        guard let (host, port) = place(of: container, labels) else {
            // One that restarts has no address for a moment.
            if let address = known[container.id] { return address }
            note(container, missing(container, labels))
            return nil
        }
        let name = host.contains(":") ? "[\(host)]" : host
        let socket = port.map { "\(name):\($0)" } ?? name
        let isHTTP = labels.scheme != nil || labels.path != nil
        let address = isHTTP ? "\(labels.scheme ?? "http")://\(socket)\(labels.path ?? "/")" : socket
        known[container.id] = address
        return address
    }

    private func place(of container: Container, _ labels: ContainerLabels) -> (host: String, port: Int?)? {
        // On the machine's own network a container has no address and publishes nothing. Podman does not list the mode.
        if container.networkMode == "host" || container.networkMode.isEmpty && container.addresses.isEmpty {
            if let port = labels.port { return (settings.host, port) }
        }
        if settings.prefersPublished, let published = published(container, labels) { return published }
        guard settings.address != .published else { return nil }
        let networks = container.addresses.sorted { $0.key < $1.key }
        let chosen = settings.network.map { name in networks.filter { $0.key == name } } ?? networks
        guard let host = chosen.first?.value else { return nil }
        return (host, labels.port ?? container.ports.map(\.inside).min())
    }

    /// The published port: the one of the label, or the lowest.
    private func published(_ container: Container, _ labels: ContainerLabels) -> (host: String, port: Int?)? {
        let ports = container.ports
            .filter { $0.published != nil && (labels.port == nil || $0.inside == labels.port) }
            .sorted { ($0.inside, $0.address) < ($1.inside, $1.address) }
        guard let port = ports.first else { return nil }
        let isAny = ["", "0.0.0.0", "::"].contains(port.address)
        return (isAny ? settings.host : port.address, port.published)
    }

    private func missing(_ container: Container, _ labels: ContainerLabels) -> String {
        if settings.address == .published {
            return labels.port.map { "it does not publish the TCP port \($0)" } ?? "it publishes no TCP port"
        }
        if let network = settings.network { return "it has no address on the network \(network)" }
        return
            "it has no address of its own; on the machine's own network it needs the label reachd.port, elsewhere reachd.url"
    }

    private mutating func note(_ container: Container, _ words: String) {
        guard notes.count < 100 else { return }
        notes.append(LogMessage(.info, "container \(DisplayText.line(container.name, limit: 128)): \(words)"))
    }
}
