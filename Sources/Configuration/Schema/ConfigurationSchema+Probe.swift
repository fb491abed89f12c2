// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing
package import Schema

extension ConfigurationSchema {
    /// `probing`.
    package static let probing = ObjectSchema(
        "probing",
        fields: [
            Field(
                "max_concurrent",
                .integer(1...100_000),
                standard: "4096",
                synonyms: ["concurrency", "workers", "parallel"],
                "Probes that may run at the same time."
            ),
            Field(
                "max_per_address",
                .integer(1...100_000),
                standard: "2",
                synonyms: ["per_host", "per_address"],
                "Probes that may run at the same time towards one address. Further ones start 20 ms apart, or closer when many wait: "
                    + "each after a second at the latest. This machine's own addresses have no such limit."
            ),
            Field(
                "start_spread",
                .duration(milliseconds: 0...600_000),
                standard: "4s",
                synonyms: ["stagger", "splay"],
                "Over which time the first probes are spread, at the start and after the machine was suspended."
            ),
            Field(
                "anchors",
                .list(.text(.identifier)),
                example: "[ example.org, resolver ]",
                synonyms: ["internet", "references"],
                "Ids of targets far out that are nearly always there: when too few of them answer, it is the internet that is "
                    + "down, and not every single target."
            ),
            Field(
                "anchor_quorum",
                .integer(1...1_000),
                standard: "1",
                synonyms: ["quorum"],
                "How many of the anchors have to answer."
            ),
        ]
    )

    /// `probe` of a target.
    package static let probe = ObjectSchema(
        "a probe",
        fields: [
            Field(
                "type",
                .choice(probeTypes),
                example: "http",
                isRequired: true,
                synonyms: ["kind", "prober", "check"],
                "What is done to see whether the target answers; push waits for the target to call instead."
            ),
            Field("port", .integer(1...65_535), example: "443", "The port; the target's when absent."),
            Field(
                "interval",
                .duration(milliseconds: 100...604_800_000),
                standard: "30s",
                synonyms: ["period", "inter", "every", "period_seconds"],
                "From the start of one probe to that of the next."
            ),
            Field(
                "timeout",
                .duration(milliseconds: 1...3_600_000),
                synonyms: ["deadline", "timeout_seconds"],
                "How long a probe may take, the look-up of the name included; not longer than the interval. When absent 5s, or the "
                    + "interval if that is shorter."
            ),
            Field(
                "fall",
                .integer(1...100),
                standard: "3",
                synonyms: ["failure_threshold", "unhealthy_threshold", "retries"],
                "How many failures in a row make the target down; for push 1 when absent, since grace is its slack."
            ),
            Field(
                "rise",
                .integer(1...100),
                standard: "2",
                synonyms: ["success_threshold", "healthy_threshold"],
                "How many successes in a row make it up again; the very first success counts at once. For push 1 when absent."
            ),
            Field(
                "confirm_interval",
                .duration(milliseconds: 100...604_800_000),
                synonyms: ["fastinter", "retry_interval"],
                "The interval while a change is in doubt. When absent 5s, or the interval if that is shorter."
            ),
            Field(
                "backoff_percent",
                .integer(0...900),
                standard: "0",
                synonyms: ["backoff", "downinter"],
                "By how much the interval grows with each failure while the target is down; 50 is half as much again."
            ),
            Field(
                "max_interval",
                .duration(milliseconds: 100...604_800_000),
                synonyms: ["backoff_limit"],
                "Where that ends. When absent 5m, or the interval if that is longer."
            ),
            Field(
                "jitter_percent",
                .integer(0...25),
                standard: "10",
                synonyms: ["jitter"],
                "By how much of the interval each turn is moved, this way or that."
            ),
            Field(
                "flap_detection",
                .boolean,
                standard: "true",
                synonyms: ["flapping"],
                "Whether a target whose results change all the time is said to flap."
            ),
            Field(
                "grace",
                .duration(milliseconds: 0...604_800_000),
                synonyms: ["grace_period"],
                "For push: how much longer than the interval a call may be late: it is down interval + grace after the last call. When "
                    + "absent half the interval."
            ),
            Field(
                "family",
                .choice([
                    .init("any"), .init("ipv4", synonyms: ["ip4", "inet"]), .init("ipv6", synonyms: ["ip6", "inet6"]),
                    .init("both"), .init("4"), .init("6"),
                ]),
                standard: "any",
                synonyms: ["ip_version", "ip_protocol", "preferred_ip_protocol"],
                "Which addresses of a name are asked: of either family, of one, or of both; 4 is ipv4, 6 is ipv6."
            ),
            Field(
                "addresses",
                .choice([.init("first"), .init("any"), .init("all")]),
                standard: "first",
                "Which of them: the first, one after the other until one answers, or each for itself (some failing is degraded)."
            ),
            Field(
                "source_address",
                .text(.address),
                synonyms: ["source_ip", "source", "source_ip_address"],
                "The address of this machine to ask from."
            ),
            Field(
                "interface",
                .text(.interfaceName),
                synonyms: ["device", "source_interface"],
                "The interface to ask through; the target's when absent."
            ),
            Field(
                "dialogue",
                .list(.object(dialogueStep)),
                example: #"[ { expect: "^220 " }, { send: "QUIT\r\n" } ]"#,
                synonyms: ["query_response", "steps", "conversation"],
                "For tcp and tls: what is said once the connection stands, step by step."
            ),
            Field(
                "payload",
                .text(.script),
                example: #""\x1b""#,
                synonyms: ["send", "body_text"],
                "For udp: what is sent."
            ),
            Field(
                "dns",
                .object(dnsQuestion),
                example: "{ name: example.org, type: MX }",
                synonyms: ["question"],
                "For dns: what is asked of the target."
            ),
            Field(
                "icmp",
                .object(echoRequests),
                example: "{ count: 3 }",
                synonyms: ["ping"],
                "For icmp: the echo requests."
            ),
            Field(
                "expect",
                .object(expectation),
                example: "{ max_latency: 500ms }",
                synonyms: ["assertions", "conditions", "validators"],
                "What counts as an answer."
            ),
        ] + exchangeFields
    )

    /// An element of `probe_modules`.
    package static let probeModule = ObjectSchema(
        "a module",
        fields: [
            Field(
                "name",
                .text(.identifier),
                example: "http_2xx",
                isRequired: true,
                synonyms: ["id", "module"],
                "What /probe calls it; http_2xx is the one that is meant when it names none."
            ),
            Field(
                "probe",
                .object(probe),
                example: "{ type: http, timeout: 5s, redirects: 5 }",
                isRequired: true,
                synonyms: ["prober", "check", "settings"],
                "How targets are asked, as in a target, without url and whatever is about turns. Without a timeout a probe ends half "
                    + "a second before the scrape's (X-Prometheus-Scrape-Timeout-Seconds, 120 s when it says none); with one no "
                    + "later than that."
            ),
        ]
    )

    private static let probeTypes: [FieldType.Choice] = [
        .init("tcp", synonyms: ["connect"]), .init("udp"), .init("dns"), .init("icmp", synonyms: ["ping", "echo"]),
        .init("tls", synonyms: ["ssl"]), .init("http", synonyms: ["https", "web"]), .init("grpc"),
        .init("push", synonyms: ["heartbeat", "ttl", "passive"]),
    ]

    /// An element of `dialogue`.
    package static let dialogueStep = ObjectSchema(
        "a step",
        fields: [
            Field(
                "send",
                .text(.script),
                example: #""QUIT\r\n""#,
                synonyms: ["write"],
                "A text that is sent as it stands; line ends are written \\r\\n in double quotes."
            ),
            Field(
                "expect",
                .text(.pattern),
                example: #""^220 ""#,
                synonyms: ["read", "match"],
                "A regular expression for what comes back."
            ),
        ]
    )

    /// `dns` of a probe.
    package static let dnsQuestion = ObjectSchema(
        "a question",
        fields: [
            Field(
                "name",
                .text(.line),
                example: "example.org",
                isRequired: true,
                synonyms: ["query_name", "query", "host"],
                "The name to ask for."
            ),
            Field(
                "type",
                .text(.line),
                example: "MX",
                standard: "A",
                synonyms: ["query_type", "record"],
                "The type of the records: A, AAAA, MX, TXT, … or TYPE65."
            ),
            Field(
                "transport",
                .choice([.init("udp"), .init("tcp")]),
                standard: "udp",
                synonyms: ["transport_protocol", "protocol"],
                "How the question travels."
            ),
            Field(
                "class",
                .choice([
                    .init("in", synonyms: ["internet"]), .init("ch", synonyms: ["chaos"]),
                    .init("hs", synonyms: ["hesiod"]),
                ]),
                standard: "in",
                synonyms: ["query_class"],
                "The class of the records; ch is for version.bind and the like."
            ),
            Field("recursion", .boolean, standard: "true", "Whether the server is to ask others."),
        ]
    )

    /// `icmp` of a probe.
    package static let echoRequests = ObjectSchema(
        "echo requests",
        fields: [
            Field("count", .integer(1...1_000), standard: "1", synonyms: ["packets"], "How many."),
            Field(
                "spacing",
                .duration(milliseconds: 1...60_000),
                standard: "200ms",
                synonyms: ["period"],
                "The time between two of them."
            ),
            Field(
                "size",
                .integer(0...65_000),
                standard: "56",
                synonyms: ["payload_size"],
                "The bytes behind the header."
            ),
            Field("ttl", .integer(1...255), synonyms: ["hop_limit"], "The time to live; the system's when absent."),
            Field(
                "dont_fragment",
                .boolean,
                standard: "false",
                synonyms: ["df"],
                "Whether a packet that is too big is refused rather than cut in pieces."
            ),
            Field(
                "degraded_loss_percent",
                .integer(0...100),
                standard: "0",
                "The loss above which the target is degraded."
            ),
            Field(
                "failed_loss_percent",
                .integer(0...100),
                standard: "100",
                synonyms: ["max_loss"],
                "The loss above which the probe failed; losing all always is."
            ),
        ]
    )

    /// `expect` of a probe.
    package static let expectation = ObjectSchema(
        "an expectation",
        fields: [
            Field(
                "reachable",
                .boolean,
                standard: "true",
                synonyms: ["connected"],
                "false for a target that must not answer: one that does has failed. Its silence counts where the way there is known "
                    + "to work."
            ),
            Field(
                "max_latency",
                .duration(milliseconds: 1...3_600_000),
                example: "500ms",
                synonyms: ["latency", "response_time"],
                "An answer that takes longer is degraded."
            ),
            Field(
                "resolved",
                .oneOrMore(.text(.coverage)),
                example: #"[ 192.0.2.0/24, "2001:db8::/32" ]"#,
                synonyms: ["ip", "resolved_addresses"],
                "Address blocks: every address of the target must be in one of them."
            ),
            Field(
                "reply",
                .text(.pattern),
                example: #"".""#,
                synonyms: ["response"],
                "For udp: a regular expression for the reply; a probe of type udp has this, silence or reachable: false."
            ),
            Field(
                "silence",
                .boolean,
                standard: "false",
                "For udp: it is enough that nobody refuses, where the way there is known to work."
            ),
            Field(
                "rcode",
                .oneOrMore(.text(.line)),
                example: "[ NOERROR, NXDOMAIN ]",
                synonyms: ["valid_rcodes"],
                "For dns: the response codes that are right; NOERROR when absent."
            ),
            Field("min_answers", .integer(0...256), standard: "1", "For dns: how many records there must be."),
            Field(
                "answers",
                .oneOrMore(.text(.pattern)),
                example: #""mail""#,
                synonyms: ["fail_if_not_matches_regexp"],
                "For dns: regular expressions, each of which must match a record's data."
            ),
            Field(
                "refused_answers",
                .oneOrMore(.text(.pattern)),
                example: #""evil""#,
                synonyms: ["fail_if_matches_regexp"],
                "For dns: regular expressions, none of which may match a record's data."
            ),
            Field("authority", .boolean, standard: "false", "For dns: whether the server must be the authority."),
        ] + expiryExpectationFields + exchangeExpectationFields
    )

    /// An element of `maintenance`.
    package static let maintenanceWindow = ObjectSchema(
        "a maintenance",
        fields: [
            Field(
                "weekdays",
                .oneOrMore(
                    .choice([
                        .init("monday", synonyms: ["mon"]), .init("tuesday", synonyms: ["tue"]),
                        .init("wednesday", synonyms: ["wed"]), .init("thursday", synonyms: ["thu"]),
                        .init("friday", synonyms: ["fri"]), .init("saturday", synonyms: ["sat"]),
                        .init("sunday", synonyms: ["sun"]), .init("daily", synonyms: ["every", "all"]),
                    ])
                ),
                example: "[ saturday, sunday ]",
                isRequired: true,
                synonyms: ["days", "day", "weekday"],
                "The days on which it begins, every week."
            ),
            Field("start", .text(.timeOfDay), isRequired: true, synonyms: ["from", "begin", "at"], "When, as HH:MM."),
            Field(
                "duration",
                .duration(milliseconds: 60_000...604_800_000),
                example: "2h",
                isRequired: true,
                synonyms: ["length", "for"],
                "How long it takes."
            ),
            Field(
                "utc_offset_minutes",
                .integer(-720...840),
                example: "60",
                standard: "0",
                synonyms: ["offset", "timezone", "tz"],
                "How far the clock that start is read from is before UTC."
            ),
        ]
    )
}
