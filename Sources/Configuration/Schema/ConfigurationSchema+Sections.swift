// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import History
import Monitoring
import NetworkPaths
import ReachAPI
import Schema

extension ConfigurationSchema {
    /// `log`.
    static let log: [Key] = [
        Key(
            "level",
            \.log.level,
            .choice([
                .init("trace"), .init("debug", synonyms: ["verbose"]), .init("info", synonyms: ["information"]),
                .init("notice"), .init("warning", synonyms: ["warn"]), .init("error", synonyms: ["err"]),
                .init("critical", synonyms: ["crit", "fatal", "alert", "emergency"]),
            ]),
            synonyms: ["verbosity", "severity"],
            "The lowest level that is logged."
        ),
        Key(
            "format",
            \.log.format,
            .choice([.init("text", synonyms: ["plain", "logfmt", "console"]), .init("json")]),
            synonyms: ["style", "encoding"],
            "text is `time level message key=value`, json is one object per line."
        ),
    ]

    /// `network`.
    static let network: [Key] = [
        Key(
            "names",
            \.nameEvaluation,
            nameEvaluation,
            "How a name is evaluated before its first answer, for targets without their own setting: optimistic as the "
                + "default path is, pessimistic as unknown."
        ),
        Key(
            "receive_buffer",
            \.paths.receiveBuffer,
            .byteCount((64 << 10)...(1 << 30)),
            needsRestart: true,
            synonyms: ["rcvbuf", "buffer"],
            "The size of the buffer to request for the kernel's messages. Without CAP_NET_ADMIN the kernel grants at "
                + "most net.core.rmem_max."
        ),
    ]

    /// `events`.
    static let events: [Key] = [
        Key(
            "log_size",
            \.events.capacity,
            .integer(16...10_000_000),
            needsRestart: true,
            synonyms: ["size", "capacity", "history"],
            "The number of events that are kept for clients that reconnect."
        ),
        Key(
            "log_bytes",
            \.events.maximumBytes,
            .byteCount((64 << 10)...(16 << 30)),
            needsRestart: true,
            synonyms: ["bytes", "memory"],
            "The maximum memory of kept events."
        ),
        Key(
            "heartbeat",
            \.http.limits.heartbeat,
            .duration(milliseconds: 1_000...600_000),
            needsRestart: true,
            synonyms: ["keepalive", "ping", "interval"],
            "How often an idle stream sends a comment, as a keep-alive."
        ),
        Key(
            "max_streams",
            \.http.limits.streams,
            .integer(0...1_000_000),
            needsRestart: true,
            synonyms: ["streams", "subscribers", "clients"],
            "The maximum number of concurrent streams; further ones get 503."
        ),
        Key(
            "stall_timeout",
            \.http.limits.stallTimeout,
            .duration(milliseconds: 1_000...600_000),
            needsRestart: true,
            synonyms: ["write_timeout"],
            "How long a stream's client may read nothing before the stream is closed."
        ),
    ]

    /// `history`.
    static let history: [Key] = [
        Key(
            "enabled",
            \.history.isEnabled,
            .boolean,
            needsRestart: true,
            synonyms: ["enable", "active", "on"],
            "Whether every event is written to a file before clients see it, so that streams resume after a restart."
        ),
        Key(
            "path",
            \.history.path,
            .text(.path),
            needsRestart: true,
            example: "/var/lib/reachd/reachd.db",
            synonyms: ["file", "database", "db"],
            "The database file; its directory must be writable. Default: reachd.db in $STATE_DIRECTORY, which systemd "
                + "sets, else in /var/lib/reachd if writable, else in reachd under $XDG_STATE_HOME or ~/.local/state. "
                + "If none of them is writable, or another reachd uses the file, events are kept in memory only."
        ),
        Key(
            "max_age",
            \.history.settings.retention.age,
            .duration(milliseconds: 60_000...315_576_000_000),
            example: "30d",
            synonyms: ["retention", "age", "keep", "max_retention"],
            "How long events are kept."
        ),
        Key(
            "max_bytes",
            \.history.settings.retention.bytes,
            .byteCount((1 << 20)...(1 << 50)),
            example: "256MiB",
            synonyms: ["size", "max_size", "bytes"],
            "The maximum size of the kept events; the oldest are deleted first."
        ),
        Key(
            "required",
            \.history.settings.isRequired,
            .boolean,
            synonyms: ["mandatory", "strict"],
            "Whether the history is mandatory: while the file cannot be written, reachd does not start, and is not "
                + "ready."
        ),
        Key(
            "stall_timeout",
            \.history.settings.slowLimit,
            .duration(milliseconds: 100...600_000),
            synonyms: ["timeout", "write_timeout"],
            "How long a write to the disk may take. After that, streams continue from memory with a new epoch."
        ),
        Key(
            "keep_minutes",
            \.history.rollups.minutes,
            .duration(milliseconds: 7_200_000...315_576_000_000),
            example: "24h",
            synonyms: ["minutes", "minute_retention"],
            "How long each target's statistics per minute are kept; those per hour are computed from them."
        ),
        Key(
            "keep_hours",
            \.history.rollups.hours,
            .duration(milliseconds: 172_800_000...315_576_000_000),
            example: "90d",
            synonyms: ["hours", "hour_retention"],
            "How long each target's statistics per hour are kept; those per day are computed from them."
        ),
        Key(
            "keep_days",
            \.history.rollups.days,
            .duration(milliseconds: 172_800_000...315_576_000_000),
            example: "365d",
            synonyms: ["days", "day_retention"],
            "How long each target's statistics per day are kept."
        ),
        Key(
            "keep_bytes",
            \.history.rollups.bytes,
            .byteCount((1 << 20)...(1 << 50)),
            synonyms: ["rollup_bytes", "keep_size"],
            "The maximum size of all these statistics. The oldest minutes are deleted first, then hours, then days."
        ),
    ]

    /// `probing`.
    static let probing: [Key] = [
        Key(
            "max_concurrent",
            \.probing.limits.total,
            .integer(1...100_000),
            needsRestart: true,
            synonyms: ["concurrency", "workers", "parallel"],
            "The maximum number of concurrent probes."
        ),
        Key(
            "max_per_address",
            \.probing.limits.perAddress,
            .integer(1...100_000),
            needsRestart: true,
            synonyms: ["per_host", "per_address"],
            "The maximum number of concurrent probes to one address. Further ones start 20 ms apart, or closer when "
                + "many wait: each after a second at the latest. This machine's own addresses have no limit."
        ),
        Key(
            "start_spread",
            \.probing.spread,
            .duration(milliseconds: 0...600_000),
            needsRestart: true,
            synonyms: ["stagger", "splay"],
            "The period over which the first probes are spread: after the start, after the machine was suspended, and after "
                + "a recovery of its network, where the first eight behind each gateway start immediately. Up to eight targets "
                + "that are declared together are probed immediately."
        ),
        Key(
            "anchors",
            \.probing.anchors,
            .list(.text(.identifier)),
            example: "[ example.org, resolver ]",
            synonyms: ["internet", "references"],
            "Ids of targets on the internet that are nearly always available. When so many of them fail that "
                + "anchor_quorum cannot be met, targets that do not respond are unreachable, not down."
        ),
        Key(
            "anchor_quorum",
            \.probing.quorum,
            .integer(1...1_000),
            synonyms: ["quorum"],
            "How many anchors must answer."
        ),
        Key(
            "trace",
            \.probing.tracesAutomatically,
            .boolean,
            needsRestart: true,
            synonyms: ["traceroute", "tracing"],
            "Whether reachd traces the path of a target when it stops responding without a known reason, when it first "
                + "responds on a new path, and daily. Packets are like those of its probe, at most 8 traces run at once."
        ),
        Key(
            "diagnosis_wait",
            \.probing.diagnosisWait,
            .duration(milliseconds: 0...10_000),
            needsRestart: true,
            synonyms: ["hold", "verdict_delay"],
            "How long a missing answer that would make a target down waits at most for the trace of its path and for the answers "
                + "of targets nearby, which may show that a router is at fault, and for the answers of anchors, which may show "
                + "that the internet is down. Refusals and errors never wait. 0 for not at all: then nothing is asked."
        ),
        Key(
            "route_changes",
            \.probing.reportsRouteChanges,
            .boolean,
            needsRestart: true,
            synonyms: ["route_change", "path_changes"],
            "Whether a changed route to a target that responds is an event (`route_change`). Needs `trace`; paths of targets "
                + "that respond are then traced hourly, and again after a minute when one differs."
        ),
        Key(
            "uplinks",
            \.probing.measuresUplinks,
            .boolean,
            needsRestart: true,
            synonyms: ["gateways"],
            "Whether reachd sends two echo requests to each default gateway every minute, for the log of uplinks. Without them a "
                + "gateway that stops responding while its link is up is not in the log."
        ),
    ]

    /// `traffic`.
    static let observation: [Key] = [
        Key(
            "observe",
            \.probing.traffic,
            .choice([.init("targets", synonyms: ["on", "true"]), .init("off", synonyms: ["none", "false"])]),
            needsRestart: true,
            synonyms: ["mode", "enabled"],
            "Which TCP connections of this machine are observed: those with targets whose port is known, or none. A failed "
                + "connection to a target that is up starts its probe at once. Above 2,000 ended connections per second, one "
                + "second in 30 is observed."
        )
    ]

    /// `limits`.
    static let limits: [Key] = [
        Key(
            "connections",
            \.http.limits.connections,
            .integer(1...1_000_000),
            needsRestart: true,
            synonyms: ["max_connections"],
            "The maximum number of concurrent connections; further ones wait. Default: the process's limit of "
                + "descriptors, less a reserve."
        ),
        Key(
            "connections_per_address",
            \.http.limits.connectionsPerAddress,
            .integer(1...1_000_000),
            needsRestart: true,
            synonyms: ["connections_per_client", "connections_per_ip"],
            "The maximum number of concurrent connections from one address, with those over TLS counted separately; "
                + "further ones are closed. Default: unlimited."
        ),
        Key(
            "header_size",
            \.http.limits.headerSize,
            .byteCount(1_024...(16 << 10)),
            needsRestart: true,
            synonyms: ["headers", "max_header_size"],
            "The maximum size of the request line and the headers together; larger ones get 431."
        ),
        Key(
            "body_size",
            \.http.limits.bodySize,
            .byteCount(0...(64 << 20)),
            needsRestart: true,
            synonyms: ["body", "max_body_size"],
            "The maximum size of a request's body; larger ones get 413."
        ),
        Key(
            "writes_per_second",
            \.http.api.access.writesPerSecond,
            .integer(1...100_000),
            synonyms: ["write_rate"],
            "Changes per second by each client, and heartbeats per second of each target, on average. A burst may have "
                + "ten times as many; further ones get 429."
        ),
        Key(
            "header_timeout",
            \.http.limits.headerTimeout,
            .duration(milliseconds: 1_000...600_000),
            needsRestart: true,
            synonyms: ["read_header_timeout"],
            "How long a client may take to send the request line and the headers; then it gets 408."
        ),
        Key(
            "body_timeout",
            \.http.limits.bodyTimeout,
            .duration(milliseconds: 1_000...600_000),
            needsRestart: true,
            synonyms: ["read_timeout"],
            "How long a client may take to send a request's body."
        ),
        Key(
            "idle_timeout",
            \.http.limits.idleTimeout,
            .duration(milliseconds: 1_000...3_600_000),
            needsRestart: true,
            synonyms: ["timeout", "keepalive_timeout"],
            "How long a connection may be idle before it is closed. Does not apply to streams."
        ),
        Key(
            "targets",
            \.maximumTargets,
            .integer(1...1_000_000),
            synonyms: ["max_targets"],
            "The maximum number of targets, except the automatic ones. Further ones are refused, by the API with 422."
        ),
    ]

    /// `discovery`.
    static let discovery =
        discoveryFiles
        + DiscoveryKind.all.map { kind in
            Key(kind.field) { $0.discovering.sources(of: kind.name) != $1.discovering.sources(of: kind.name) }
        }

    /// The keys of `discovery` for files, and for all sources.
    private static let discoveryFiles: [Key] = [
        Key(
            "files",
            \.discovering.files,
            .oneOrMore(.text(.path)),
            example: #""/etc/reachd/targets/*.json""#,
            synonyms: ["file", "paths", "file_sd"],
            "Files of targets in the format of Prometheus' file_sd, JSON or YAML: their paths, with * and ? in the "
                + "last part."
        ),
        Key(
            "refresh",
            \.discovering.refresh,
            .duration(milliseconds: 1_000...86_400_000),
            synonyms: ["refresh_interval", "interval"],
            "How often the files are read again, besides immediately after each change."
        ),
        Key(
            "probe",
            .object(probe),
            comparing: \.discovering.probe,
            example: "{ type: tcp, interval: 1m }",
            synonyms: ["check", "defaults"],
            "The probe of each discovered target. Default: none, the network path alone decides."
        ),
    ]
}
