// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// Named settings of a probe for targets that are set by the caller: blackbox_exporter's modules.
package struct ProbeModule: Sendable, Hashable {
    /// Its name.
    package let name: String
    /// The request; the target replaces its host, its URL and, unless ``hasPort``, its port. Its timeout counts if
    /// ``hasTimeout``.
    package let template: ProbeRequest
    /// Whether the settings set a port.
    package let hasPort: Bool
    /// Whether the settings set a timeout; otherwise a probe takes as long as its caller waits.
    package let hasTimeout: Bool

    /// Creates a module.
    package init(name: String, template: ProbeRequest, hasPort: Bool, hasTimeout: Bool = true) {
        self.name = name
        self.template = template
        self.hasPort = hasPort
        self.hasTimeout = hasTimeout
    }

    /// Returns the request for one target, in the text form of a scrape.
    ///
    /// - Parameters:
    ///   - text: The target. An http probe reads text without a scheme as an `http` URL, including a path.
    ///   - hostname: The host name of the request.
    /// - Throws: ``ProbeTargetError`` when the text is not a target, or not one for this module.
    package func request(for text: String, hostname: String? = nil) throws(ProbeTargetError) -> ProbeRequest {
        if template.kind.description.port == .url {
            return try request(for: ProbeTarget(http: text), hostname: hostname)
        }
        return try request(for: ProbeTarget(text), hostname: hostname)
    }

    /// Returns the request for one target.
    ///
    /// - Parameters:
    ///   - target: The target. An http probe reads text that is not a URL as an `http` URL, like blackbox_exporter.
    ///   - hostname: The host name of the request: the header `Host` of an http probe and, unless the module sets one,
    ///     the name for SNI and certificate verification.
    /// - Throws: ``ProbeTargetError`` when the module cannot probe such a target.
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
