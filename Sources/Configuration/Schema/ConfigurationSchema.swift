// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema

/// The table of everything that can be configured: it drives reading, hints, environment variables and documentation.
package enum ConfigurationSchema {
    /// The whole file.
    package static let root = ObjectSchema(
        "the configuration",
        allowsExtensions: true,
        fields: [
            Field(
                "listen",
                .oneOrMore(.textOrObject(.listenAddress, listener)),
                standard: "127.0.0.1:7532",
                synonyms: ["bind", "address", "port", "addr"],
                "Where the HTTP interface listens: ADDRESS:PORT, [IPV6]:PORT, *:PORT for all addresses, unix:/PATH, systemd for "
                    + "the sockets that a service manager hands over, or systemd:NAME for those of a name; one or a list. Port 0 "
                    + "takes a free port, which the log names. A mapping has the address with a socket file's mode or with TLS."
            ),
            Field(
                "allowed_hosts",
                .list(.text(.host)),
                example: "[ reachd.internal.example ]",
                synonyms: ["hosts_allowed", "host_allow_list", "server_name", "server_names"],
                "Names that a request's Host field may have besides localhost and loopback addresses, against DNS rebinding. "
                    + "When absent: any name, if reachd listens on more than loopback addresses and unix sockets, else none."
            ),
            Field(
                "base_path",
                .text(.urlPath),
                example: "/reachd",
                standard: "/",
                synonyms: ["prefix", "path_prefix", "root_path", "context_path", "route_prefix"],
                "The path that all routes are below, for a reverse proxy that passes it on; /livez, /readyz and /healthz are at the "
                    + "root too."
            ),
            Field(
                "access",
                .object(access),
                example: #"{ cors_origins: [ "https://dashboard.example.org" ] }"#,
                synonyms: ["auth", "security"],
                "Who may do what over HTTP."
            ),
            Field("log", .object(log), synonyms: ["logging", "logger"], "What is written to the standard error."),
            Field(
                "targets",
                .list(.object(target)),
                example: "[ { id: nas, address: 192.0.2.10 } ]",
                synonyms: ["endpoints", "hosts", "monitors", "services"],
                "What is watched."
            ),
            Field(
                "auto_targets",
                .boolean,
                synonyms: ["auto", "autodetect"],
                "Whether to watch what every machine has: the default path of each family that has had one since the "
                    + "start (of both, if none), the default gateway and the resolvers. The gateway stays a target when its link "
                    + "dies, until another default route takes its place. When absent: if no target is declared."
            ),
            Field(
                "interfaces",
                .list(.object(interfaceRule)),
                example: "[ { match: wl*, type: wifi } ]",
                synonyms: ["interface", "interface_types", "links"],
                "What is known of interfaces that the kernel cannot tell; the first rule that matches wins."
            ),
            Field(
                "connections",
                .list(.object(connection)),
                example: "[ { name: office, match: 10.0.0.0/8, mode: demand } ]",
                synonyms: ["connection", "vpn"],
                "Connections that could be made while there is no route."
            ),
            Field(
                "mark",
                .integer(0...Int(UInt32.max)),
                example: "0x2a",
                synonyms: ["fwmark", "so_mark"],
                "The firewall mark for targets that name none, as policy rules see it."
            ),
            Field(
                "sysfs",
                .text(.path),
                example: "/host/sys",
                standard: "/sys",
                synonyms: ["sysfs_root"],
                "Where sysfs is mounted."
            ),
            Field("network", .object(network), "How the kernel and the resolver are asked."),
            Field(
                "events",
                .object(events),
                synonyms: ["event", "stream", "streams"],
                "The event log and its streams."
            ),
            Field(
                "history",
                .object(history),
                synonyms: ["storage", "persistence", "database", "store"],
                "The event log that outlives reachd."
            ),
            Field(
                "notify",
                .list(.object(receiver)),
                example: "[ { name: chat, webhook: { url: https://chat.example.org/hooks/reachd } } ]",
                synonyms: ["notifications", "alerting", "alerts", "webhooks", "receivers"],
                "Who is told when a target's state changes."
            ),
            Field("probing", .object(probing), synonyms: ["probes", "scheduler"], "What holds for all probes."),
            Field(
                "probe_modules",
                .list(.object(probeModule)),
                example: "[ { name: http_2xx, probe: { type: http } } ]",
                synonyms: ["modules", "module", "blackbox"],
                "What /probe can do for a Prometheus that names the targets itself, as the modules of blackbox_exporter. "
                    + "http_2xx, tcp_connect, icmp and dns are built in; a module here replaces the built-in one of its name."
            ),
            Field("limits", .object(limits), synonyms: ["limit"], "What clients may use up."),
            Field(
                "discovery",
                .object(discovery),
                example: #"{ files: [ "/etc/reachd/targets/*.yaml" ] }"#,
                synonyms: ["file_sd_configs", "file_sd", "service_discovery"],
                "Targets from files that other programs keep."
            ),
            Field(
                "state_file",
                .text(.pathOrNone),
                example: "/var/lib/reachd/targets.json",
                synonyms: ["state", "data_file"],
                "The file that keeps the targets of the page and the HTTP interface across restarts; its folder must be "
                    + "writable. When absent targets.db in the folder where history.path is by default; in memory only where no "
                    + "such folder can be written, or another reachd has the file. With none they last until reachd ends."
            ),
        ]
    )

    /// `log`.
    package static let log = ObjectSchema(
        "log",
        fields: [
            Field(
                "level",
                .choice([
                    .init("trace"), .init("debug", synonyms: ["verbose"]), .init("info", synonyms: ["information"]),
                    .init("notice"), .init("warning", synonyms: ["warn"]), .init("error", synonyms: ["err"]),
                    .init("critical", synonyms: ["crit", "fatal", "alert", "emergency"]),
                ]),
                standard: "info",
                synonyms: ["verbosity", "severity"],
                "What is the least that is logged."
            ),
            Field(
                "format",
                .choice([.init("text", synonyms: ["plain", "logfmt", "console"]), .init("json")]),
                standard: "text",
                synonyms: ["style", "encoding"],
                "text is `time level message key=value`, json is one object a line."
            ),
        ]
    )

    /// `network`.
    package static let network = ObjectSchema(
        "network",
        fields: [
            Field(
                "names",
                nameJudgement,
                standard: "optimistic",
                "How a name is judged before its first answer, for targets that do not say: as the default path is, or as "
                    + "unknown."
            ),
            Field(
                "receive_buffer",
                .byteCount((64 << 10)...(1 << 30)),
                standard: "8MiB",
                synonyms: ["rcvbuf", "buffer"],
                "The wanted buffer for the kernel's messages. Without CAP_NET_ADMIN the kernel grants at most "
                    + "net.core.rmem_max."
            ),
        ]
    )

    /// `events`.
    package static let events = ObjectSchema(
        "events",
        fields: [
            Field(
                "log_size",
                .integer(16...10_000_000),
                standard: "65536",
                synonyms: ["size", "capacity", "history"],
                "The number of events that are kept for clients that come back."
            ),
            Field(
                "log_bytes",
                .byteCount((64 << 10)...(16 << 30)),
                standard: "64MiB",
                synonyms: ["bytes", "memory"],
                "The memory that kept events may take."
            ),
            Field(
                "heartbeat",
                .duration(milliseconds: 1_000...600_000),
                standard: "15s",
                synonyms: ["keepalive", "ping", "interval"],
                "How often a stream that has nothing to say sends a comment."
            ),
            Field(
                "max_streams",
                .integer(0...1_000_000),
                standard: "1000",
                synonyms: ["streams", "subscribers", "clients"],
                "Streams at a time; one more gets 503."
            ),
            Field(
                "stall_timeout",
                .duration(milliseconds: 1_000...600_000),
                standard: "30s",
                synonyms: ["write_timeout"],
                "How long a stream's client may take no byte before the stream ends."
            ),
        ]
    )

    /// `history`.
    package static let history = ObjectSchema(
        "history",
        fields: [
            Field(
                "enabled",
                .boolean,
                standard: "true",
                synonyms: ["enable", "active", "on"],
                "Whether every event is written to a file before a client sees it, so that streams go on over a restart."
            ),
            Field(
                "path",
                .text(.path),
                example: "/var/lib/reachd/reachd.db",
                synonyms: ["file", "database", "db"],
                "The file; its folder must be writable. When absent reachd.db in $STATE_DIRECTORY, which systemd sets, else in "
                    + "/var/lib/reachd if that can be written, else in reachd under $XDG_STATE_HOME or ~/.local/state; events are "
                    + "in memory only where none of them can be written, or another reachd has the file."
            ),
            Field(
                "max_age",
                .duration(milliseconds: 60_000...315_576_000_000),
                example: "30d",
                standard: "90d",
                synonyms: ["retention", "age", "keep", "max_retention"],
                "How old an event may become."
            ),
            Field(
                "max_bytes",
                .byteCount((1 << 20)...(1 << 50)),
                example: "256MiB",
                standard: "1GiB",
                synonyms: ["size", "max_size", "bytes"],
                "The room that events may take; the oldest go first."
            ),
            Field(
                "required",
                .boolean,
                standard: "false",
                synonyms: ["mandatory", "strict"],
                "Whether reachd is of no use without it: it does not start, and is not ready, while the file cannot be written."
            ),
            Field(
                "stall_timeout",
                .duration(milliseconds: 100...600_000),
                standard: "2s",
                synonyms: ["timeout", "write_timeout"],
                "How long the disk may take for a write; then streams go on from memory, with a new epoch."
            ),
            Field(
                "keep_minutes",
                .duration(milliseconds: 7_200_000...315_576_000_000),
                example: "24h",
                standard: "48h",
                synonyms: ["minutes", "minute_retention"],
                "How long what each minute of a target came to is kept; hours are made of it."
            ),
            Field(
                "keep_hours",
                .duration(milliseconds: 172_800_000...315_576_000_000),
                example: "90d",
                standard: "35d",
                synonyms: ["hours", "hour_retention"],
                "How long what each hour of a target came to is kept; days are made of it."
            ),
            Field(
                "keep_days",
                .duration(milliseconds: 172_800_000...315_576_000_000),
                example: "365d",
                standard: "730d",
                synonyms: ["days", "day_retention"],
                "How long what each day of a target came to is kept."
            ),
            Field(
                "keep_bytes",
                .byteCount((1 << 20)...(1 << 50)),
                standard: "1GiB",
                synonyms: ["rollup_bytes", "keep_size"],
                "The room that minutes, hours and days may take; the oldest minutes go first, then hours, then days."
            ),
        ]
    )

    /// `discovery`.
    package static let discovery = ObjectSchema(
        "discovery",
        fields: [
            Field(
                "files",
                .oneOrMore(.text(.path)),
                example: #""/etc/reachd/targets/*.json""#,
                synonyms: ["file", "paths", "file_sd"],
                "Files of targets as Prometheus' file_sd has them, JSON or YAML: their paths, with * and ? in the last part."
            ),
            Field(
                "refresh",
                .duration(milliseconds: 1_000...86_400_000),
                standard: "5m",
                synonyms: ["refresh_interval", "interval"],
                "How often they are read again, besides at once when one of them changes."
            ),
            Field(
                "probe",
                .object(probe),
                example: "{ type: tcp, interval: 1m }",
                synonyms: ["check", "defaults"],
                "The probe of each target that is found. When absent its path has the last word."
            ),
        ]
    )

    /// `limits`.
    package static let limits = ObjectSchema(
        "limits",
        fields: [
            Field(
                "connections",
                .integer(1...1_000_000),
                synonyms: ["max_connections"],
                "Connections at a time; more wait. When absent as many as the process may have descriptors, less a reserve."
            ),
            Field(
                "connections_per_address",
                .integer(1...1_000_000),
                synonyms: ["connections_per_client", "connections_per_ip"],
                "Connections at a time from one address, those with TLS counted apart; more are closed. When absent there is no "
                    + "such limit."
            ),
            Field(
                "header_size",
                .byteCount(1_024...(16 << 10)),
                standard: "8KiB",
                synonyms: ["headers", "max_header_size"],
                "The request line and the header fields together; more gets 431."
            ),
            Field(
                "body_size",
                .byteCount(0...(64 << 20)),
                standard: "256KiB",
                synonyms: ["body", "max_body_size"],
                "A request's body; more gets 413."
            ),
            Field(
                "writes_per_second",
                .integer(1...100_000),
                standard: "100",
                synonyms: ["write_rate"],
                "Changes a second of one client on average, and heartbeats of each target by themselves; ten times as many at once; "
                    + "more get 429."
            ),
            Field(
                "header_timeout",
                .duration(milliseconds: 1_000...600_000),
                standard: "10s",
                synonyms: ["read_header_timeout"],
                "The time for a request's line and header fields; more gets 408."
            ),
            Field(
                "body_timeout",
                .duration(milliseconds: 1_000...600_000),
                standard: "30s",
                synonyms: ["read_timeout"],
                "The time for a request's body."
            ),
            Field(
                "idle_timeout",
                .duration(milliseconds: 1_000...3_600_000),
                standard: "30s",
                synonyms: ["timeout", "keepalive_timeout"],
                "How long a connection may say nothing before it is closed; streams are not meant."
            ),
            Field(
                "targets",
                .integer(1...1_000_000),
                standard: "100000",
                synonyms: ["max_targets"],
                "Targets in all, whoever declared them but reachd itself; more are refused, by the interface with 422."
            ),
        ]
    )

    /// An element of `interfaces`.
    package static let interfaceRule = ObjectSchema(
        "an interface rule",
        fields: [
            Field(
                "match",
                .text(.interfacePatterns),
                example: "wwan*|altname:modem-*",
                isRequired: true,
                synonyms: ["name", "pattern", "interface"],
                "Which interfaces: globs with * and ?, alternatives between |, each for the name or an alternative name, or "
                    + "with altname:, kind:, driver: or mac: before it for that."
            ),
            Field(
                "type",
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
            Field(
                "metered",
                .boolean,
                synonyms: ["expensive", "is_expensive"],
                "Whether paths through it are expensive."
            ),
            Field("constrained", .boolean, synonyms: ["is_constrained"], "Whether paths through it are constrained."),
            Field(
                "ignore",
                .boolean,
                standard: "false",
                synonyms: ["ignored"],
                "Whether the default path passes it over."
            ),
            Field(
                "ignore_carrier_loss",
                .boolean,
                standard: "false",
                synonyms: ["ignore_carrier", "no_carrier_check"],
                "Whether packets leave by it while it is up, whatever its driver reports of the carrier: for links whose "
                    + "carrier means nothing."
            ),
        ]
    )

    /// An element of `connections`.
    package static let connection = ObjectSchema(
        "a connection",
        fields: [
            Field(
                "name",
                .text(.line),
                example: "office",
                synonyms: ["id"],
                "What people call it; when absent what it covers."
            ),
            Field(
                "match",
                .oneOrMore(.text(.coverage)),
                example: #"[ 10.0.0.0/8, "2001:db8::/32" ]"#,
                isRequired: true,
                synonyms: ["prefix", "prefixes", "networks", "targets"],
                "The targets that it would serve: address blocks, or default for every target, the default path included."
            ),
            Field(
                "mode",
                .choice([
                    .init("traffic", synonyms: ["on_traffic", "auto"]), .init("demand", synonyms: ["on_demand"]),
                    .init("intervention"), .init("manual"),
                ]),
                isRequired: true,
                "How it comes to be: traffic starts it, a program does on demand, traffic would once a person intervened, or "
                    + "a person does."
            ),
            Field(
                "cellular",
                .boolean,
                standard: "false",
                synonyms: ["wwan", "is_cellular"],
                "Whether it goes through a cellular modem."
            ),
        ]
    )

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
            Field("names", nameJudgement, synonyms: ["judgement"], "How a name is judged before its first answer."),
        ]
    )

    private static let nameJudgement = FieldType.choice([
        .init("optimistic"), .init("pessimistic", synonyms: ["strict"]),
    ])
}
