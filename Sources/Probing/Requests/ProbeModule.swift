// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// Settings of a probe under a name, for targets that are named when they are asked: blackbox_exporter's modules.
package struct ProbeModule: Sendable, Hashable {
    /// Its name.
    package let name: String
    /// What is done; its host, its URL and, unless ``hasPort``, its port are the target's; its timeout counts if ``hasTimeout``.
    package let template: ProbeRequest
    /// Whether the settings name a port.
    package let hasPort: Bool
    /// Whether the settings name a timeout; otherwise a probe lasts as long as who asks waits.
    package let hasTimeout: Bool

    /// Creates a module.
    package init(name: String, template: ProbeRequest, hasPort: Bool, hasTimeout: Bool = true) {
        self.name = name
        self.template = template
        self.hasPort = hasPort
        self.hasTimeout = hasTimeout
    }

    /// The question to one target, as a scrape names it.
    ///
    /// - Parameters:
    ///   - text: whom to ask. An http probe takes what has no scheme as a URL of `http`, with whatever stands behind the host.
    ///   - hostname: whom the target is asked for.
    /// - Throws: ``ProbeTargetError`` when the text is no target, or none that the module can ask.
    package func request(for text: String, hostname: String? = nil) throws(ProbeTargetError) -> ProbeRequest {
        if template.kind.description.port == .url {
            return try request(for: ProbeTarget(http: text), hostname: hostname)
        }
        return try request(for: ProbeTarget(text), hostname: hostname)
    }

    /// The question to one target.
    ///
    /// - Parameters:
    ///   - target: whom to ask. An http probe takes what is no URL as one of `http`, as blackbox_exporter does.
    ///   - hostname: whom the target is asked for: the header `Host` of an http probe and, unless the module says, the name
    ///     that TLS asks for and verifies.
    /// - Throws: ``ProbeTargetError`` when the module cannot ask such a target.
    package func request(for target: ProbeTarget, hostname: String? = nil) throws(ProbeTargetError) -> ProbeRequest {
        if let hostname { _ = try ProbeTarget.host(hostname) }
        var request = template
        request.host = target.host
        request.interface = target.interface ?? request.interface
        if case .address(let address) = target.host, address.needsInterface, request.interface == nil {
            throw ProbeTargetError("\(IPAddress.missingInterface); \(address.missingInterfaceHint)")
        }
        let settings = template.kind.settings
        guard target.url == nil || template.kind.description.port == .url else {
            throw ProbeTargetError("is a URL, which only modules of type http take")
        }
        request.kind = try settings.asking(target, hasPort: hasPort, hostname: hostname)
        return request
    }
}
