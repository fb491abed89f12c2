// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths
import ReachAPI
package import Schema

/// The schema of the configuration: reading, hints, environment variables and documentation follow from it.
package enum ConfigurationSchema {
    /// A key of the service's own settings.
    typealias Key = Setting<ReachdConfiguration>

    /// The whole file.
    package static let root = ObjectSchema(
        "the configuration",
        allowsExtensions: true,
        fields: settings.fields(of: ReachdConfiguration())
    )

    /// The name of the key that names further files.
    static let includeName = "include"

    /// That key alone: further files are read before the whole is.
    static let inclusion = ObjectSchema("the configuration", fields: [include].fields(of: ReachdConfiguration()))

    private static let include = Key(
        includeName,
        \.include,
        .oneOrMore(.text(.filePattern)),
        synonyms: ["includes", "import", "imports", "conf_d"],
        "Further files of the configuration, seen from this file's folder, with *, ? and [...] in the last part of a path. They have "
            + "the keys of this file; lists are joined, in the order of the files' names, and any other key may stand in one file "
            + "only. An included file includes no others."
    )

    /// The keys of the file, with the properties that they set.
    static let settings: [Key] = [
        include,
        Key(
            "reload",
            \.reload,
            .choice([
                .init("manual", synonyms: ["signal", "off", "never"]), .init("auto", synonyms: ["watch", "automatic"]),
            ]),
            synonyms: ["autoreload", "auto_reload", "watch"],
            "When the configuration is read again: manual, on SIGHUP and POST /-/reload; auto, also when this file, an included one "
                + "or the set of those changes. A faulty configuration is reported, and the one in force stays."
        ),
        Key(
            "listen",
            .oneOrMore(.textOrObject(.listenAddress, listener)),
            comparing: \.http.listen,
            needsRestart: true,
            defaultValue: "127.0.0.1:7532",
            synonyms: ["bind", "address", "port", "addr"],
            "Addresses that the HTTP interface listens on: ADDRESS:PORT, [IPV6]:PORT, *:PORT for all addresses, "
                + "unix:/PATH, systemd for the sockets that the service manager passes, or systemd:NAME for those with "
                + "this name; one or a list. Port 0 selects a free port, which is logged. Use a mapping to set a unix "
                + "socket's permissions or TLS."
        ),
        Key(
            "allowed_hosts",
            .list(.text(.host)),
            comparing: \.http.api.hosts,
            needsRestart: true,
            example: "[ reachd.internal.example ]",
            synonyms: ["hosts_allowed", "host_allow_list", "server_name", "server_names"],
            "Names that a request's Host header may have besides localhost and loopback addresses, against DNS "
                + "rebinding. Default: any name if reachd listens on more than loopback addresses and unix sockets, "
                + "else none."
        ),
        Key(
            "base_path",
            .text(.urlPath),
            comparing: \.http.api.basePath,
            needsRestart: true,
            example: "/reachd",
            defaultValue: "/",
            synonyms: ["prefix", "path_prefix", "root_path", "context_path", "route_prefix"],
            "The path prefix of all routes, for a reverse proxy that does not strip it; /livez, /readyz and /healthz "
                + "are at the root too."
        ),
        Key(
            section: "access",
            example: #"{ cors_origins: [ "https://dashboard.example.org" ] }"#,
            synonyms: ["auth", "security"],
            "Access to the HTTP interface.",
            access
        ),
        Key(
            section: "public",
            example: "{ title: Example status, groups: [ Web ] }",
            synonyms: ["status_page", "public_page"],
            "The public status page at /public: names, states, incidents and 90 days of some groups, for everyone, without "
                + "addresses and reasons. Off unless it has groups.",
            publicPage
        ),
        Key(
            section: "log",
            synonyms: ["logging", "logger"],
            "The log, which is written to the standard error.",
            log
        ),
        Key(
            "targets",
            .list(.object(target)),
            example: "[ { id: nas, address: 192.0.2.10 } ]",
            synonyms: ["endpoints", "hosts", "monitors", "services"],
            "The targets to monitor."
        ),
        Key(
            "auto_targets",
            .boolean,
            comparing: \.watchesAutomatically,
            synonyms: ["auto", "autodetect"],
            "Whether to monitor what every machine has: the default path of each family that has had one since the "
                + "start (of both, if none has), the default gateway and the resolvers. The gateway stays a target "
                + "when its link goes down, until its interface has another gateway, or for a day while another "
                + "uplink is in use. Default: true if no target is declared."
        ),
        Key(
            "interfaces",
            .list(.object(interfaceRule)),
            comparing: \.paths.interfaceRules,
            example: "[ { match: wl*, type: wifi } ]",
            synonyms: ["interface", "interface_types", "links"],
            "Facts about interfaces that the kernel does not report; the first rule that matches wins."
        ),
        Key(
            "connections",
            .list(.object(connection)),
            comparing: \.paths.connections,
            example: "[ { name: office, match: 10.0.0.0/8, mode: demand } ]",
            synonyms: ["connection", "vpn"],
            "Connections that could be established while there is no route."
        ),
        Key(
            "mark",
            \.paths.mark,
            .integer(0...Int(UInt32.max)),
            example: "0x2a",
            synonyms: ["fwmark", "so_mark"],
            "The firewall mark for targets that have none of their own, for policy routing rules."
        ),
        Key(
            "sysfs",
            \.paths.sysfsRoot,
            .text(.path),
            example: "/host/sys",
            synonyms: ["sysfs_root"],
            "Where sysfs is mounted."
        ),
        Key(
            section: "network",
            "Name resolution and the kernel's messages.",
            network
        ),
        Key(
            section: "events",
            synonyms: ["event", "stream", "streams"],
            "The event log and its streams.",
            events
        ),
        Key(
            section: "history",
            synonyms: ["storage", "persistence", "database", "store"],
            "The event log and the statistics on disk, which survive restarts.",
            history
        ),
        Key(
            "notify",
            .list(.object(receiver)),
            comparing: \.receivers,
            example: "[ { name: chat, webhook: { url: https://chat.example.org/hooks/reachd } } ]",
            synonyms: ["notifications", "alerting", "alerts", "webhooks", "receivers"],
            "Receivers of notifications about changes of a target's state."
        ),
        Key(
            section: "probing",
            synonyms: ["probes", "scheduler"],
            "Settings of all probes.",
            probing
        ),
        Key(
            section: "traffic",
            synonyms: ["connections", "passive"],
            "The observation of this machine's own TCP connections with targets.",
            observation
        ),
        Key(
            "probe_modules",
            .list(.object(probeModule)),
            comparing: \.probeModules,
            example: "[ { name: http_2xx, probe: { type: http } } ]",
            synonyms: ["modules", "module", "blackbox"],
            "Modules of /probe, for a Prometheus that names the targets itself, as the modules of blackbox_exporter. "
                + "http_2xx, tcp_connect, icmp and dns are built in; a module here replaces the built-in one of its "
                + "name."
        ),
        Key(
            section: "limits",
            synonyms: ["limit"],
            "Limits on the resources that clients may use.",
            limits
        ),
        Key(
            section: "discovery",
            example: #"{ files: [ "/etc/reachd/targets/*.yaml" ] }"#,
            synonyms: ["file_sd_configs", "file_sd", "service_discovery"],
            "Targets that other programs know: from files, HTTP servers and DNS.",
            discovery
        ),
        Key(
            section: "fleet",
            example: "{ database: postgresql://reachd@db.example/reachd, location: berlin }",
            synonyms: ["cluster", "postgresql"],
            "The fleet of nodes that this reachd belongs to, which share targets and state over a PostgreSQL database.",
            fleet
        ),
        Key(
            "state_file",
            \.stateFile,
            .text(.pathOrNone),
            needsRestart: true,
            example: "/var/lib/reachd/targets.json",
            synonyms: ["state", "data_file"],
            "The file that stores the targets of the page and the HTTP interface across restarts; its directory must "
                + "be writable. Default: targets.db in the default directory of history.path. If no such directory is "
                + "writable, or another reachd uses the file, these targets are kept in memory only. With none they "
                + "last until reachd ends."
        ),
    ]

    /// An element of `interfaces`.
    package static let interfaceRule = ObjectSchema(
        "an interface rule",
        fields: interfaceRuleKeys.fields(of: InterfaceRule(patterns: []))
    )

    /// The keys of an element, with the properties that they set.
    static let interfaceRuleKeys: [Setting<InterfaceRule>] = [
        Setting(
            "match",
            .text(.interfacePatterns),
            example: "wwan*|altname:modem-*",
            isRequired: true,
            synonyms: ["name", "pattern", "interface"],
            "The interfaces: globs with * and ?, alternatives separated by |. Each matches the name or an alternative "
                + "name, or with altname:, kind:, driver: or mac: before it that property."
        ),
        Setting(
            "type",
            \.type,
            .choice([
                .init("wifi", synonyms: ["wlan", "wireless", "wi-fi"]),
                .init("cellular", synonyms: ["wwan", "mobile", "lte", "modem"]),
                .init("wired_ethernet", synonyms: ["wired", "ethernet", "lan"]),
                .init("tunnel", synonyms: ["vpn", "tun"]),
                .init("other"),
            ]),
            example: "cellular",
            synonyms: ["kind"],
            "The type of network behind the interface. Default: derived from what the kernel reports."
        ),
        Setting(
            "metered",
            \.isExpensive,
            .boolean,
            synonyms: ["expensive", "is_expensive"],
            "Whether paths through the interface are expensive."
        ),
        Setting(
            "constrained",
            \.isConstrained,
            .boolean,
            synonyms: ["is_constrained"],
            "Whether paths through the interface are constrained."
        ),
        Setting(
            "ignore",
            \.isIgnored,
            .boolean,
            synonyms: ["ignored"],
            "Whether the default path ignores the interface."
        ),
        Setting(
            "ignore_carrier_loss",
            \.ignoresCarrierLoss,
            .boolean,
            synonyms: ["ignore_carrier", "no_carrier_check"],
            "Whether the interface is usable whenever it is up, whatever carrier state its driver reports: for links "
                + "whose carrier state is meaningless."
        ),
    ]

    /// An element of `connections`.
    package static let connection = ObjectSchema("a connection", fields: connectionKeys.fields(of: emptyConnection))

    /// A connection that covers nothing.
    static let emptyConnection = DeclaredConnection(name: "", prefixes: nil, mode: .manual)

    /// The keys of an element, with the properties that they set.
    static let connectionKeys: [Setting<DeclaredConnection>] = [
        Setting(
            "name",
            \.name,
            .text(.line),
            example: "office",
            synonyms: ["id"],
            "The connection's name for people. Default: made of match."
        ),
        Setting(
            "match",
            .oneOrMore(.text(.coverage)),
            example: #"[ 10.0.0.0/8, "2001:db8::/32" ]"#,
            isRequired: true,
            synonyms: ["prefix", "prefixes", "networks", "targets"],
            "The targets that the connection would serve: address blocks, or default for every target, including the "
                + "default path."
        ),
        Setting(
            "mode",
            \.mode,
            .choice([
                .init("traffic", synonyms: ["on_traffic", "auto"]), .init("demand", synonyms: ["on_demand"]),
                .init("intervention"), .init("manual"),
            ]),
            isRequired: true,
            "How the connection is established: by traffic; by a program on demand; by traffic after an intervention "
                + "of a person; or manually by a person."
        ),
        Setting(
            "cellular",
            \.isCellular,
            .boolean,
            synonyms: ["wwan", "is_cellular"],
            "Whether the connection uses a cellular modem."
        ),
    ]

    /// An element of `targets`.
    package static let target = ObjectSchema(
        "a target",
        fields: [
            Field(
                "id",
                .text(.identifier),
                example: "nas",
                "Unique among all targets: letters, digits, - _ . and :, at most 128. Default: derived from what is "
                    + "monitored."
            ),
            Field(
                "name",
                .text(.line),
                example: "The NAS in the cellar",
                synonyms: ["title", "label"],
                "The target's name for people. Default: the id."
            ),
            Field(
                "kind",
                .choice([
                    .init("name", synonyms: ["host", "dns"]), .init("address", synonyms: ["ip"]),
                    .init("address_pair", synonyms: ["pair"]),
                    .init("default", synonyms: ["default_path", "internet"]),
                ]),
                example: "default",
                synonyms: ["type"],
                "What is monitored. Only default must be written: the other kinds follow from host, address and "
                    + "local_address."
            ),
            Field(
                "host",
                .text(.host),
                example: "example.org",
                synonyms: ["hostname", "url", "domain", "fqdn", "target"],
                "A name to resolve with DNS and the hosts file. An IP address is treated as address."
            ),
            Field(
                "address",
                .text(.address),
                synonyms: ["ip", "addr", "remote_address", "remote"],
                "An IPv4 or IPv6 address, followed by %INTERFACE if it must be reached through that interface."
            ),
            Field(
                "local_address",
                .text(.address),
                example: "192.0.2.2",
                synonyms: ["local", "source", "source_address", "src"],
                "The local address that packets must be sent from. Without address: monitors whether this machine has "
                    + "it."
            ),
            Field(
                "family",
                .choice([
                    .init("ipv4", synonyms: ["4", "inet", "ip4", "v4"]),
                    .init("ipv6", synonyms: ["6", "inet6", "ip6", "v6"]),
                ]),
                synonyms: ["ip_version", "ip_family"],
                "The address family of a default path. Default: both."
            ),
            Field(
                "interface",
                .text(.interfaceName),
                synonyms: ["device", "dev", "iface"],
                "The only interface that an address or the default path may be reached through."
            ),
            Field("port", .integer(1...65_535), example: "443", "The port: information, and the probe's default."),
            Field("group", .text(.line), example: "internet", synonyms: ["category"], "The target's group."),
            Field(
                "tags",
                .labels,
                example: #"{ team: web, tier: "1" }"#,
                synonyms: ["labels", "tag", "meta"],
                "Labels of your choice, to filter by."
            ),
            Field(
                "mark",
                .integer(0...Int(UInt32.max)),
                example: "0x2a",
                synonyms: ["fwmark"],
                "The firewall mark of the target's packets."
            ),
            Field(
                "probe",
                .object(probe),
                example: "{ type: tcp, port: 22 }",
                synonyms: ["check", "monitor", "healthcheck"],
                "How to check whether the target answers. Default: no probe, the network path alone decides."
            ),
            Field(
                "depends_on",
                .oneOrMore(.text(.identifier)),
                example: "[ router ]",
                synonyms: ["parents", "parent", "depends"],
                "Ids of targets that this one cannot be reached without: when one of them is down, it is unreachable, "
                    + "not down."
            ),
            Field(
                "maintenance",
                .list(.object(maintenanceWindow)),
                example: #"[ { weekdays: daily, start: "03:30", duration: 2h } ]"#,
                synonyms: ["maintenance_windows", "downtime"],
                "When failures are expected."
            ),
            Field(
                "hide_address",
                .boolean,
                example: "true",
                synonyms: ["hide_url", "hide_hostname", "hidden"],
                "Hides the target's host, address, port, URL and certificates from the page, the API, events, metrics "
                    + "and notifications. Needs an id."
            ),
            Field("names", nameEvaluation, synonyms: ["judgement"], "How to evaluate a name before its first answer."),
        ]
    )

    static let nameEvaluation = FieldType.choice([
        .init("optimistic"), .init("pessimistic", synonyms: ["strict"]),
    ])
}

extension InterfaceType: SettingValue {}
extension TrafficObservation: SettingValue {}
extension DeclaredConnection.Mode: SettingValue {}
