// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import BlockingHTTP
import Discovery
import Probing
import Schema

extension DiscoveryKind {
    /// Containers of Docker and Podman.
    static let containers = DiscoveryKind(
        "containers",
        title: "a container engine",
        fields: [
            Field(
                "socket",
                .text(.line),
                example: "unix:///run/podman/podman.sock",
                synonyms: ["endpoint", "engine", "url", "docker_host"],
                "The engine's socket, unix:///PATH, or its address, tcp://HOST:PORT. Default: the first of "
                    + "/var/run/docker.sock, /run/podman/podman.sock and $XDG_RUNTIME_DIR/podman/podman.sock that exists."
            ),
            Field(
                "all",
                .boolean,
                defaultValue: "false",
                "Whether running containers without the label reachd.enable are targets too."
            ),
            Field(
                "address",
                .choice(ContainerSettings.AddressChoice.allCases.map { .init($0.rawValue) }),
                defaultValue: ContainerSettings.AddressChoice.auto.rawValue,
                "The probed address: the container's own, or the port that it publishes. auto: the published port, or its own "
                    + "address without one; its own address if reachd runs in a container itself."
            ),
            Field(
                "network",
                .text(.line),
                example: "monitoring",
                "The network whose address is used. Default: the container's first network by name."
            ),
            Field(
                "host",
                .text(.line),
                defaultValue: "127.0.0.1",
                synonyms: ["hostname"],
                "The host of published ports, and of containers on the network of the engine's machine."
            ),
            Field(
                "refresh",
                .duration(milliseconds: 1_000...86_400_000),
                defaultValue: "5m",
                synonyms: ["refresh_interval", "interval"],
                "How often the containers are listed without an event."
            ),
            Field("timeout", .duration(milliseconds: 100...300_000), defaultValue: "10s", "The timeout of a list."),
        ],
        example: "{ socket: \"unix:///run/podman/podman.sock\" }",
        synonyms: ["docker", "podman", "docker_sd_configs", "dockers"],
        "Container engines, Docker or Podman, whose containers with the label reachd.enable are targets."
    ) { declaration in
        let object = declaration.object
        var settings = ContainerSettings.ofThisMachine
        if let text = object.text("socket") {
            guard let endpoint = endpoint(text) else {
                declaration.add(
                    .invalidValue,
                    at: "socket",
                    "is neither a unix socket nor an address",
                    hint: "write unix:///PATH or tcp://HOST:PORT"
                )
                return nil
            }
            settings.endpoint = endpoint
        }
        if let all = object.boolean("all") { settings.all = all }
        if let choice = object.text("address").flatMap(ContainerSettings.AddressChoice.init) {
            settings.address = choice
        }
        settings.network = object.text("network")
        if let host = object.text("host") { settings.host = host }
        if let refresh = object.duration("refresh") { settings.refresh = refresh }
        if let timeout = object.duration("timeout") { settings.timeout = timeout }
        return settings
    }

    private static func endpoint(_ text: String) -> HTTPEndpoint? {
        let path = text.hasPrefix("unix://") ? String(text.dropFirst("unix://".count)) : text
        // The longest path of a socket (unix(7)).
        if path.hasPrefix("/") { return path.utf8.count < 108 ? HTTPEndpoint(unixSocket: path) : nil }
        guard let prefix = ["tcp://", "http://"].first(where: text.hasPrefix) else { return nil }
        let url = "http://" + text.dropFirst(prefix.count)
        let isAddress = !url.dropFirst("http://".count).contains { "/?#@".contains($0) }
        return isAddress && (try? HTTPURL(url)) != nil ? HTTPEndpoint(url: url) : nil
    }
}
