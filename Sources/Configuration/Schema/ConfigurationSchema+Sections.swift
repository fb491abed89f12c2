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
            "What is the least that is logged."
        ),
        Key(
            "format",
            \.log.format,
            .choice([.init("text", synonyms: ["plain", "logfmt", "console"]), .init("json")]),
            synonyms: ["style", "encoding"],
            "text is `time level message key=value`, json is one object a line."
        ),
    ]

    /// `network`.
    static let network: [Key] = [
        Key(
            "names",
            \.nameEvaluation,
            nameEvaluation,
            "How a name is judged before its first answer, for targets that do not say: as the default path is, or as "
                + "unknown."
        ),
        Key(
            "receive_buffer",
            \.paths.receiveBuffer,
            .byteCount((64 << 10)...(1 << 30)),
            needsRestart: true,
            synonyms: ["rcvbuf", "buffer"],
            "The wanted buffer for the kernel's messages. Without CAP_NET_ADMIN the kernel grants at most "
                + "net.core.rmem_max."
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
            "The number of events that are kept for clients that come back."
        ),
        Key(
            "log_bytes",
            \.events.maximumBytes,
            .byteCount((64 << 10)...(16 << 30)),
            needsRestart: true,
            synonyms: ["bytes", "memory"],
            "The memory that kept events may take."
        ),
        Key(
            "heartbeat",
            \.http.limits.heartbeat,
            .duration(milliseconds: 1_000...600_000),
            needsRestart: true,
            synonyms: ["keepalive", "ping", "interval"],
            "How often a stream that has nothing to say sends a comment."
        ),
        Key(
            "max_streams",
            \.http.limits.streams,
            .integer(0...1_000_000),
            needsRestart: true,
            synonyms: ["streams", "subscribers", "clients"],
            "Streams at a time; one more gets 503."
        ),
        Key(
            "stall_timeout",
            \.http.limits.stallTimeout,
            .duration(milliseconds: 1_000...600_000),
            needsRestart: true,
            synonyms: ["write_timeout"],
            "How long a stream's client may take no byte before the stream ends."
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
            "Whether every event is written to a file before a client sees it, so that streams go on over a restart."
        ),
        Key(
            "path",
            \.history.path,
            .text(.path),
            needsRestart: true,
            example: "/var/lib/reachd/reachd.db",
            synonyms: ["file", "database", "db"],
            "The file; its folder must be writable. When absent reachd.db in $STATE_DIRECTORY, which systemd sets, else in "
                + "/var/lib/reachd if that can be written, else in reachd under $XDG_STATE_HOME or ~/.local/state; events are "
                + "in memory only where none of them can be written, or another reachd has the file."
        ),
        Key(
            "max_age",
            \.history.settings.retention.age,
            .duration(milliseconds: 60_000...315_576_000_000),
            example: "30d",
            synonyms: ["retention", "age", "keep", "max_retention"],
            "How old an event may become."
        ),
        Key(
            "max_bytes",
            \.history.settings.retention.bytes,
            .byteCount((1 << 20)...(1 << 50)),
            example: "256MiB",
            synonyms: ["size", "max_size", "bytes"],
            "The room that events may take; the oldest go first."
        ),
        Key(
            "required",
            \.history.settings.isRequired,
            .boolean,
            synonyms: ["mandatory", "strict"],
            "Whether reachd is of no use without it: it does not start, and is not ready, while the file cannot be written."
        ),
        Key(
            "stall_timeout",
            \.history.settings.slowLimit,
            .duration(milliseconds: 100...600_000),
            synonyms: ["timeout", "write_timeout"],
            "How long the disk may take for a write; then streams go on from memory, with a new epoch."
        ),
        Key(
            "keep_minutes",
            \.history.rollups.minutes,
            .duration(milliseconds: 7_200_000...315_576_000_000),
            example: "24h",
            synonyms: ["minutes", "minute_retention"],
            "How long what each minute of a target came to is kept; hours are made of it."
        ),
        Key(
            "keep_hours",
            \.history.rollups.hours,
            .duration(milliseconds: 172_800_000...315_576_000_000),
            example: "90d",
            synonyms: ["hours", "hour_retention"],
            "How long what each hour of a target came to is kept; days are made of it."
        ),
        Key(
            "keep_days",
            \.history.rollups.days,
            .duration(milliseconds: 172_800_000...315_576_000_000),
            example: "365d",
            synonyms: ["days", "day_retention"],
            "How long what each day of a target came to is kept."
        ),
        Key(
            "keep_bytes",
            \.history.rollups.bytes,
            .byteCount((1 << 20)...(1 << 50)),
            synonyms: ["rollup_bytes", "keep_size"],
            "The room that minutes, hours and days may take; the oldest minutes go first, then hours, then days."
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
            "Probes that may run at the same time."
        ),
        Key(
            "max_per_address",
            \.probing.limits.perAddress,
            .integer(1...100_000),
            needsRestart: true,
            synonyms: ["per_host", "per_address"],
            "Probes that may run at the same time towards one address. Further ones start 20 ms apart, or closer when many wait: "
                + "each after a second at the latest. This machine's own addresses have no such limit."
        ),
        Key(
            "start_spread",
            \.probing.spread,
            .duration(milliseconds: 0...600_000),
            needsRestart: true,
            synonyms: ["stagger", "splay"],
            "Over which time the first probes are spread, at the start and after the machine was suspended."
        ),
        Key(
            "anchors",
            \.probing.anchors,
            .list(.text(.identifier)),
            example: "[ example.org, resolver ]",
            synonyms: ["internet", "references"],
            "Ids of targets far out that are nearly always there: when too few of them answer, it is the internet that is "
                + "down, and not every single target."
        ),
        Key(
            "anchor_quorum",
            \.probing.quorum,
            .integer(1...1_000),
            synonyms: ["quorum"],
            "How many of the anchors have to answer."
        ),
    ]

    /// `limits`.
    static let limits: [Key] = [
        Key(
            "connections",
            \.http.limits.connections,
            .integer(1...1_000_000),
            needsRestart: true,
            synonyms: ["max_connections"],
            "Connections at a time; more wait. When absent as many as the process may have descriptors, less a reserve."
        ),
        Key(
            "connections_per_address",
            \.http.limits.connectionsPerAddress,
            .integer(1...1_000_000),
            needsRestart: true,
            synonyms: ["connections_per_client", "connections_per_ip"],
            "Connections at a time from one address, those with TLS counted apart; more are closed. When absent there is no "
                + "such limit."
        ),
        Key(
            "header_size",
            \.http.limits.headerSize,
            .byteCount(1_024...(16 << 10)),
            needsRestart: true,
            synonyms: ["headers", "max_header_size"],
            "The request line and the header fields together; more gets 431."
        ),
        Key(
            "body_size",
            \.http.limits.bodySize,
            .byteCount(0...(64 << 20)),
            needsRestart: true,
            synonyms: ["body", "max_body_size"],
            "A request's body; more gets 413."
        ),
        Key(
            "writes_per_second",
            \.http.api.access.writesPerSecond,
            .integer(1...100_000),
            synonyms: ["write_rate"],
            "Changes a second of one client on average, and heartbeats of each target by themselves; ten times as many at once; "
                + "more get 429."
        ),
        Key(
            "header_timeout",
            \.http.limits.headerTimeout,
            .duration(milliseconds: 1_000...600_000),
            needsRestart: true,
            synonyms: ["read_header_timeout"],
            "The time for a request's line and header fields; more gets 408."
        ),
        Key(
            "body_timeout",
            \.http.limits.bodyTimeout,
            .duration(milliseconds: 1_000...600_000),
            needsRestart: true,
            synonyms: ["read_timeout"],
            "The time for a request's body."
        ),
        Key(
            "idle_timeout",
            \.http.limits.idleTimeout,
            .duration(milliseconds: 1_000...3_600_000),
            needsRestart: true,
            synonyms: ["timeout", "keepalive_timeout"],
            "How long a connection may say nothing before it is closed; streams are not meant."
        ),
        Key(
            "targets",
            \.maximumTargets,
            .integer(1...1_000_000),
            synonyms: ["max_targets"],
            "Targets in all, whoever declared them but reachd itself; more are refused, by the interface with 422."
        ),
    ]

    /// `discovery`.
    static let discovery: [Key] = [
        Key(
            "files",
            \.discovering.files,
            .oneOrMore(.text(.path)),
            example: #""/etc/reachd/targets/*.json""#,
            synonyms: ["file", "paths", "file_sd"],
            "Files of targets as Prometheus' file_sd has them, JSON or YAML: their paths, with * and ? in the last part."
        ),
        Key(
            "refresh",
            \.discovering.refresh,
            .duration(milliseconds: 1_000...86_400_000),
            synonyms: ["refresh_interval", "interval"],
            "How often they are read again, besides at once when one of them changes."
        ),
        Key(
            "probe",
            .object(probe),
            comparing: \.discovering.probe,
            example: "{ type: tcp, interval: 1m }",
            synonyms: ["check", "defaults"],
            "The probe of each target that is found. When absent its path has the last word."
        ),
    ]
}
