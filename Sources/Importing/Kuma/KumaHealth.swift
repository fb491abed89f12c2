// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// Converts a call of gRPC's health service, the only call that reachd makes.
enum KumaHealth {
    /// - Returns: Whether the monitor calls it and expects `SERVING`.
    static func take(
        _ monitor: KumaRow,
        _ target: inout [(String, YAMLText)],
        _ probe: inout ImportedProbe,
        _ draft: inout ImportDraft
    ) -> Bool {
        let service = monitor.text("grpc_service_name") ?? ""
        let isHealth =
            service == "grpc.health.v1.Health"
            || (service == "Health" && monitor.text("grpc_protobuf")?.contains("grpc.health.v1") == true)
        guard isHealth, monitor.text("grpc_method")?.lowercased() == "check", !monitor.flag("invert_keyword"),
            let keyword = monitor.text("keyword"), keyword.hasSuffix("SERVING"), !keyword.contains("NOT"),
            let url = monitor.text("grpc_url"),
            let place = (url.contains("://") ? url : "grpc://\(url)").endpointTemplate
        else { return false }
        probe.type = "grpc"
        target = [("host", .text(place.host))]
        if let port = place.port { probe.keys.append(("port", port)) }
        if monitor.flag("grpc_enable_tls") {
            probe.tls = monitor.flag("ignore_tls") ? [("insecure_skip_verify", .word("true"))] : []
        }
        if let name = monitor.json("grpc_body")?["service"]?.text, !name.isEmpty {
            probe.keys.append(("service", .text(name)))
        }
        if case .mapping(let pairs)? = monitor.json("grpc_metadata")?.content {
            let headers = pairs.compactMap { pair in
                pair.key.text.flatMap { key in pair.value.text.map { (key, YAMLText.text($0)) } }
            }
            probe.takeHeaders(headers, of: "grpc_metadata", &draft)
        }
        return true
    }
}
