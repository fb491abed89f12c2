// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing
import Schema

/// The probe settings in the labels of a group; the names are those of Prometheus and blackbox_exporter.
struct DiscoveredRequest {
    private var scheme: String?
    private var path: String?
    private var type: String?
    private var interval: Duration?
    private var timeout: Duration?

    /// Reads a label that begins with `__`.
    ///
    /// - Returns: whether the label is known.
    mutating func take(_ name: String, _ value: String) throws(Diagnostic) -> Bool {
        switch name {
        case "__scheme__":
            guard value == "http" || value == "https" else { throw Diagnostic("is neither http nor https") }
            scheme = value
        case "__metrics_path__":
            guard value.hasPrefix("/") else { throw Diagnostic("is not a path", hint: "begin it with /") }
            path = value
        case "__param_module":
            // The names of blackbox_exporter's example begin with the kind: http_2xx, tcp_connect, icmp.
            let known = ProbeKind.all.map(\.description.name)
            guard let type = known.first(where: { value == $0 || value.hasPrefix($0 + "_") }) else {
                throw Diagnostic("does not name a kind of probe", hint: "write \(known.formatted(last: "or"))")
            }
            self.type = type
        case "__scrape_interval__":
            interval = .milliseconds(try DurationText.milliseconds(value))
        case "__scrape_timeout__":
            timeout = .milliseconds(try DurationText.milliseconds(value))
        default:
            return false
        }
        return true
    }

    /// The probe of one target.
    ///
    /// - Parameters:
    ///   - standard: the settings of targets without their own, or the target's own.
    ///   - isOwn: whether they are the target's own, so that they are of the right kind.
    func probe(
        from standard: ValidatedMapping?,
        isOwn: Bool = false,
        for address: DiscoveredAddress,
        at place: ConfigurationDiagnostic.Place
    ) -> ValidatedMapping? {
        var probe = standard
        if !isOwn, let type, type != standard?.text("type") {
            probe = Self.probe(of: type, timing: standard, at: place)
        }
        guard var probe else { return nil }
        if let interval { probe.set("interval", .duration(interval), at: place) }
        if let timeout { probe.set("timeout", .duration(timeout), at: place) }
        guard probe.text("type") == "http", !probe.isWritten("url") else { return probe }
        if let url = address.url {
            probe.set("url", .text(url), at: place)
        } else if scheme != nil || path != nil {
            let name = address.host.contains(":") ? "[\(address.host)]" : address.host
            let port = address.port.map { ":\($0)" } ?? ""
            let scheme = scheme ?? (probe.has("tls") ? "https" : "http")
            probe.set("url", .text("\(scheme)://\(name)\(port)\(path ?? "/")"), at: place)
        }
        return probe
    }

    /// A probe of another kind than the configuration's, with the same schedule.
    private static func probe(
        of type: String,
        timing: ValidatedMapping?,
        at place: ConfigurationDiagnostic.Place
    ) -> ValidatedMapping {
        var probe = ValidatedMapping(ConfigurationSchema.probe, at: place)
        probe.set("type", .text(type), at: place)
        for name in ["interval", "timeout", "fall", "rise", "confirm_interval", "jitter_percent", "backoff_percent"] {
            if let located = timing?[name] { probe.set(name, located.value, at: place) }
        }
        return probe
    }
}
