// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import BlockingHTTP
import Glibc

/// The settings of a source that finds containers.
package struct ContainerSettings: Sendable, Hashable {
    /// Which address of a container is probed.
    package enum AddressChoice: String, Sendable, Hashable, CaseIterable {
        /// `published` with `container` for containers without a published port; `container` when reachd runs in one itself.
        case auto
        /// The container's address on a network, and its own port.
        case container
        /// The port that is published on the engine's machine.
        case published
    }

    /// The settings with the defaults for this machine: the places of the engines' sockets in the order in which they are tried, and
    /// whether this process runs in a container.
    package static let ofThisMachine: ContainerSettings = {
        var sockets = ["/var/run/docker.sock", "/run/podman/podman.sock"]
        if let folder = unsafe getenv("XDG_RUNTIME_DIR") {
            sockets.append("\(unsafe String(cString: folder))/podman/podman.sock")
        }
        // Docker and Podman leave these files in each container.
        let marks = ["/.dockerenv", "/run/.containerenv"]
        return ContainerSettings(
            sockets: sockets,
            isInContainer: marks.contains { mark in unsafe access(mark, F_OK) == 0 }
        )
    }()

    /// The engine's address; nil for the first of ``sockets`` that exists.
    package var endpoint: HTTPEndpoint?
    /// Sockets that are tried without ``endpoint``.
    package var sockets: [String]
    /// Whether containers without a label of reachd are targets too.
    package var all = false
    /// Which address is probed.
    package var address = AddressChoice.auto
    /// The network whose address is used; nil for the first one by name.
    package var network: String?
    /// The host on which ports are published and of containers without a network of their own.
    package var host = "127.0.0.1"
    /// Whether reachd runs in a container itself.
    package var isInContainer: Bool
    /// The longest time between two lists, in case an event is lost.
    package var refresh: Duration = .seconds(300)
    /// The timeout of a list.
    package var timeout: Duration = .seconds(10)

    /// Creates settings with the defaults.
    package init(sockets: [String], isInContainer: Bool) {
        self.sockets = sockets
        self.isInContainer = isInContainer
    }

    /// The choice that `auto` stands for.
    var prefersPublished: Bool { address == .published || address == .auto && !isInContainer }
}

extension ContainerSettings: DiscoverySourceSettings {
    /// See the protocol.
    package func makeSource() -> any DiscoverySource { ContainerSource(self) }
}
