// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import ReachAPI
package import Schema

/// The table of everything that can be configured: it drives reading, hints, environment variables and documentation.
package enum ConfigurationSchema {
    /// A key of the service's own settings.
    typealias Key = Setting<ReachdConfiguration>

    /// The whole file.
    package static let root = ObjectSchema(
        "the configuration",
        allowsExtensions: true,
        fields: settings.fields(of: ReachdConfiguration())
    )

    /// The keys of the file, with the properties that they set.
    static let settings: [Key] = [
        Key(
            "listen",
            .oneOrMore(.textOrObject(.listenAddress, listener)),
            comparing: \.http.listen,
            needsRestart: true,
            defaultValue: "127.0.0.1:7532",
            synonyms: ["bind", "address", "port", "addr"],
            "Where the HTTP interface listens: ADDRESS:PORT, [IPV6]:PORT, *:PORT for all addresses, unix:/PATH, systemd for "
                + "the sockets that a service manager hands over, or systemd:NAME for those of a name; one or a list. Port 0 "
                + "takes a free port, which the log names. A mapping has the address with a socket file's mode or with TLS."
        ),
        Key(
            "allowed_hosts",
            .list(.text(.host)),
            comparing: \.http.api.hosts,
            needsRestart: true,
            example: "[ reachd.internal.example ]",
            synonyms: ["hosts_allowed", "host_allow_list", "server_name", "server_names"],
            "Names that a request's Host field may have besides localhost and loopback addresses, against DNS rebinding. "
                + "When absent: any name, if reachd listens on more than loopback addresses and unix sockets, else none."
        ),
        Key(
            "base_path",
            .text(.urlPath),
            comparing: \.http.api.basePath,
            needsRestart: true,
            example: "/reachd",
            defaultValue: "/",
            synonyms: ["prefix", "path_prefix", "root_path", "context_path", "route_prefix"],
            "The path that all routes are below, for a reverse proxy that passes it on; /livez, /readyz and /healthz are at the "
                + "root too."
        ),
        Key(
            section: "access",
            example: #"{ cors_origins: [ "https://dashboard.example.org" ] }"#,
            synonyms: ["auth", "security"],
            "Who may do what over HTTP.",
            access
        ),
        Key(
            section: "log",
            synonyms: ["logging", "logger"],
            "What is written to the standard error.",
            log
        ),
        Key(
            "targets",
            .list(.object(target)),
            example: "[ { id: nas, address: 192.0.2.10 } ]",
            synonyms: ["endpoints", "hosts", "monitors", "services"],
            "What is watched."
        ),
        Key(
            "auto_targets",
            .boolean,
            comparing: \.watchesAutomatically,
            synonyms: ["auto", "autodetect"],
            "Whether to watch what every machine has: the default path of each family that has had one since the "
                + "start (of both, if none), the default gateway and the resolvers. The gateway stays a target when its link "
                + "dies, until another default route takes its place. When absent: if no target is declared."
        ),
        Key(
            "interfaces",
            .list(.object(interfaceRule)),
            comparing: \.paths.interfaceRules,
            example: "[ { match: wl*, type: wifi } ]",
            synonyms: ["interface", "interface_types", "links"],
            "What is known of interfaces that the kernel cannot tell; the first rule that matches wins."
        ),
        Key(
            "connections",
            .list(.object(connection)),
            comparing: \.paths.connections,
            example: "[ { name: office, match: 10.0.0.0/8, mode: demand } ]",
            synonyms: ["connection", "vpn"],
            "Connections that could be made while there is no route."
        ),
        Key(
            "mark",
            \.paths.mark,
            .integer(0...Int(UInt32.max)),
            example: "0x2a",
            synonyms: ["fwmark", "so_mark"],
            "The firewall mark for targets that name none, as policy rules see it."
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
            "How the kernel and the resolver are asked.",
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
            "The event log that outlives reachd.",
            history
        ),
        Key(
            "notify",
            .list(.object(receiver)),
            comparing: \.receivers,
            example: "[ { name: chat, webhook: { url: https://chat.example.org/hooks/reachd } } ]",
            synonyms: ["notifications", "alerting", "alerts", "webhooks", "receivers"],
            "Who is told when a target's state changes."
        ),
        Key(
            section: "probing",
            synonyms: ["probes", "scheduler"],
            "What holds for all probes.",
            probing
        ),
        Key(
            "probe_modules",
            .list(.object(probeModule)),
            comparing: \.probeModules,
            example: "[ { name: http_2xx, probe: { type: http } } ]",
            synonyms: ["modules", "module", "blackbox"],
            "What /probe can do for a Prometheus that names the targets itself, as the modules of blackbox_exporter. "
                + "http_2xx, tcp_connect, icmp and dns are built in; a module here replaces the built-in one of its name."
        ),
        Key(
            section: "limits",
            synonyms: ["limit"],
            "What clients may use up.",
            limits
        ),
        Key(
            section: "discovery",
            example: #"{ files: [ "/etc/reachd/targets/*.yaml" ] }"#,
            synonyms: ["file_sd_configs", "file_sd", "service_discovery"],
            "Targets from files that other programs keep.",
            discovery
        ),
        Key(
            "state_file",
            \.stateFile,
            .text(.pathOrNone),
            needsRestart: true,
            example: "/var/lib/reachd/targets.json",
            synonyms: ["state", "data_file"],
            "The file that keeps the targets of the page and the HTTP interface across restarts; its folder must be "
                + "writable. When absent targets.db in the folder where history.path is by default; in memory only where no "
                + "such folder can be written, or another reachd has the file. With none they last until reachd ends."
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
            "Which interfaces: globs with * and ?, alternatives between |, each for the name or an alternative name, or "
                + "with altname:, kind:, driver: or mac: before it for that."
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
            "What kind of network it leads to; when absent the kernel's facts decide."
        ),
        Setting(
            "metered",
            \.isExpensive,
            .boolean,
            synonyms: ["expensive", "is_expensive"],
            "Whether paths through it are expensive."
        ),
        Setting(
            "constrained",
            \.isConstrained,
            .boolean,
            synonyms: ["is_constrained"],
            "Whether paths through it are constrained."
        ),
        Setting(
            "ignore",
            \.isIgnored,
            .boolean,
            synonyms: ["ignored"],
            "Whether the default path passes it over."
        ),
        Setting(
            "ignore_carrier_loss",
            \.ignoresCarrierLoss,
            .boolean,
            synonyms: ["ignore_carrier", "no_carrier_check"],
            "Whether packets leave by it while it is up, whatever its driver reports of the carrier: for links whose "
                + "carrier means nothing."
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
            "What people call it; when absent what it covers."
        ),
        Setting(
            "match",
            .oneOrMore(.text(.coverage)),
            example: #"[ 10.0.0.0/8, "2001:db8::/32" ]"#,
            isRequired: true,
            synonyms: ["prefix", "prefixes", "networks", "targets"],
            "The targets that it would serve: address blocks, or default for every target, the default path included."
        ),
        Setting(
            "mode",
            \.mode,
            .choice([
                .init("traffic", synonyms: ["on_traffic", "auto"]), .init("demand", synonyms: ["on_demand"]),
                .init("intervention"), .init("manual"),
            ]),
            isRequired: true,
            "How it comes to be: traffic starts it, a program does on demand, traffic would once a person intervened, or "
                + "a person does."
        ),
        Setting(
            "cellular",
            \.isCellular,
            .boolean,
            synonyms: ["wwan", "is_cellular"],
            "Whether it goes through a cellular modem."
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
                "Unique among all targets: letters, digits, - _ . and :, at most 128. When absent made of what is watched."
            ),
            Field(
                "name",
                .text(.line),
                example: "The NAS in the cellar",
                synonyms: ["title", "label"],
                "What people call it; the id when absent."
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
                "What is watched. Only default must be written: the other kinds follow from host, address and local_address."
            ),
            Field(
                "host",
                .text(.host),
                example: "example.org",
                synonyms: ["hostname", "url", "domain", "fqdn", "target"],
                "A name, resolved by DNS and the hosts file; an address is taken as such."
            ),
            Field(
                "address",
                .text(.address),
                synonyms: ["ip", "addr", "remote_address", "remote"],
                "An IPv4 or IPv6 address, with %INTERFACE after it if it must be reached through one."
            ),
            Field(
                "local_address",
                .text(.address),
                example: "192.0.2.2",
                synonyms: ["local", "source", "source_address", "src"],
                "An address of this machine that packets must come from. Without address: whether it is ours."
            ),
            Field(
                "family",
                .choice([
                    .init("ipv4", synonyms: ["4", "inet", "ip4", "v4"]),
                    .init("ipv6", synonyms: ["6", "inet6", "ip6", "v6"]),
                ]),
                synonyms: ["ip_version", "ip_family"],
                "The one family of a default path; both when absent."
            ),
            Field(
                "interface",
                .text(.interfaceName),
                synonyms: ["device", "dev", "iface"],
                "The one interface that an address or the default path may be reached through."
            ),
            Field("port", .integer(1...65_535), example: "443", "The port, as information."),
            Field("group", .text(.line), example: "internet", synonyms: ["category"], "The group that it is shown in."),
            Field(
                "tags",
                .labels,
                example: #"{ team: web, tier: "1" }"#,
                synonyms: ["labels", "tag", "meta"],
                "Free labels, to filter by."
            ),
            Field(
                "mark",
                .integer(0...Int(UInt32.max)),
                example: "0x2a",
                synonyms: ["fwmark"],
                "The firewall mark of its packets."
            ),
            Field(
                "probe",
                .object(probe),
                example: "{ type: tcp, port: 22 }",
                synonyms: ["check", "monitor", "healthcheck"],
                "How it is asked whether it answers. When absent its path has the last word."
            ),
            Field(
                "depends_on",
                .oneOrMore(.text(.identifier)),
                example: "[ router ]",
                synonyms: ["parents", "parent", "depends"],
                "Ids of targets without which it cannot be reached: when one of them is down, it is unreachable, not down."
            ),
            Field(
                "maintenance",
                .list(.object(maintenanceWindow)),
                example: #"[ { weekdays: daily, start: "03:30", duration: 2h } ]"#,
                synonyms: ["maintenance_windows", "downtime"],
                "When its failures are expected."
            ),
            Field(
                "hide_address",
                .boolean,
                example: "true",
                synonyms: ["hide_url", "hide_hostname", "hidden"],
                "Keeps its host, address, port, URL and certificates from the page, the API, events, metrics and notifications. It needs an id."
            ),
            Field("names", nameEvaluation, synonyms: ["judgement"], "How a name is judged before its first answer."),
        ]
    )

    static let nameEvaluation = FieldType.choice([
        .init("optimistic"), .init("pessimistic", synonyms: ["strict"]),
    ])
}

extension InterfaceType: SettingValue {}
extension DeclaredConnection.Mode: SettingValue {}
