// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Discovery
import Schema

extension DiscoveryKind {
    /// Records of DNS.
    static let dns = DiscoveryKind(
        "dns",
        title: "a DNS source",
        fields: [
            Field(
                "lookup",
                .oneOrMore(.text(.line)),
                example: "_http._tcp.example.org",
                isRequired: true,
                synonyms: ["names", "domain", "record", "host"],
                "The names to look up. Without a dot at its end, a name is also tried with the search list of resolv.conf."
            ),
            Field(
                "type",
                .choice(
                    DNSSourceSettings.RecordType.allCases.map {
                        .init($0.rawValue, synonyms: [$0.rawValue.lowercased()])
                    }
                ),
                defaultValue: DNSSourceSettings.RecordType.srv.rawValue,
                synonyms: ["record_type", "query_type"],
                "The type of the records: SRV for servers of a service with their ports, A or AAAA for addresses."
            ),
            Field(
                "port",
                .integer(1...65_535),
                example: "443",
                "The port of the targets; only for A and AAAA. Default: none."
            ),
            Field(
                "refresh",
                .duration(milliseconds: 1_000...86_400_000),
                defaultValue: "1m",
                synonyms: ["refresh_interval", "interval"],
                "How often the names are looked up; sooner if the records may be kept for less long, but not within 5s."
            ),
        ],
        example: "{ lookup: _http._tcp.example.org }",
        synonyms: ["dns_sd", "dns_sd_configs", "srv"],
        "Names whose records are targets."
    ) { declaration in
        let object = declaration.object
        var settings = DNSSourceSettings(names: object.texts("lookup"))
        if let type = object.text("type").flatMap(DNSSourceSettings.RecordType.init) { settings.type = type }
        if let refresh = object.duration("refresh") { settings.refresh = refresh }
        if let port = object.integer("port").flatMap(UInt16.init(exactly:)) {
            if settings.type == .srv {
                declaration.add(.conflict, at: "port", "SRV records have the ports", hint: "remove port")
            }
            settings.port = port
        }
        if Set(settings.names).count < settings.names.count {
            declaration.add(.duplicateValue, at: "lookup", "a name occurs twice")
        }
        return settings.names.isEmpty ? nil : settings
    }
}
