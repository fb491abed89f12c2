// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing
package import Schema

extension ConfigurationSchema {
    /// The type of a probe that waits for the target to call.
    static let push = "push"

    /// The types of probes by which reachd asks a target.
    private static let asking = ProbeKind.all.map(\.description.name)

    private static let variants = ObjectSchema.Variants(
        key: "type",
        words: asking + [push],
        groups: [
            ("what reachd asks by itself", Set(asking)),
            ("types that have one", Set(ProbeKind.all.filter { $0.description.port != .none }.map(\.description.name))),
        ]
    )

    /// `probe` of a target.
    package static let probe: ObjectSchema = {
        var fields = [
            Field(
                "type",
                .choice(
                    ProbeKind.all.map { .init($0.description.name, synonyms: $0.description.synonyms) }
                        + [.init(push, synonyms: ["heartbeat", "ttl", "passive"])]
                ),
                example: "http",
                isRequired: true,
                synonyms: ["kind", "prober", "check"],
                "What is done to see whether the target answers; push waits for the target to call instead."
            ),
            Field("port", .integer(1...65_535), example: "443", "The port; the target's when absent.").only(
                in: ProbeKind.all.filter { $0.description.port != .none }.map(\.description.name)
            ),
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
            ).only(in: asking),
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
                "How much longer than the interval a call may be late: it is down interval + grace after the last call. When "
                    + "absent half the interval."
            ).only(in: [push]),
            Field(
                "family",
                .choice([
                    .init("any"), .init("ipv4", synonyms: ["ip4", "inet"]), .init("ipv6", synonyms: ["ip6", "inet6"]),
                    .init("both"), .init("4"), .init("6"),
                ]),
                standard: "any",
                synonyms: ["ip_version", "ip_protocol", "preferred_ip_protocol"],
                "Which addresses of a name are asked: of either family, of one, or of both; 4 is ipv4, 6 is ipv6."
            ).only(in: asking),
            Field(
                "addresses",
                .choice([.init("first"), .init("any"), .init("all")]),
                standard: "first",
                "Which of them: the first, one after the other until one answers, or each for itself (some failing is degraded)."
            ).only(in: asking),
            Field(
                "source_address",
                .text(.address),
                synonyms: ["source_ip", "source", "source_ip_address"],
                "The address of this machine to ask from."
            ).only(in: asking),
            Field(
                "interface",
                .text(.interfaceName),
                synonyms: ["device", "source_interface"],
                "The interface to ask through; the target's when absent."
            ).only(in: asking),
            Field(
                "expect",
                .object(expectation),
                example: "{ max_latency: 500ms }",
                synonyms: ["assertions", "conditions", "validators"],
                "What counts as an answer."
            ).only(in: asking),
        ]
        for kind in ProbeKind.all { Field.add(kind.description.fields, of: kind.description.name, to: &fields) }
        return ObjectSchema("a probe", variants: variants, fields: fields)
    }()

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

    /// `expect` of a probe.
    package static let expectation: ObjectSchema = {
        var fields = [
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
        ]
        for kind in ProbeKind.all { Field.add(kind.description.expectations, of: kind.description.name, to: &fields) }
        return ObjectSchema(
            "an expectation",
            variants: .init(key: nil, words: asking, groups: variants.groups),
            fields: fields
        )
    }()

    /// An element of `maintenance`.
    package static let maintenanceWindow = ObjectSchema(
        "a maintenance",
        alternatives: [["weekdays", "start", "duration"], ["from", "to"]],
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
                synonyms: ["days", "day", "weekday"],
                "The days on which it begins, every week; with start and duration."
            ),
            Field("start", .text(.timeOfDay), synonyms: ["begin", "at"], "When on these days, as HH:MM."),
            Field(
                "duration",
                .duration(milliseconds: 60_000...604_800_000),
                example: "2h",
                synonyms: ["length", "for"],
                "How long it takes each time."
            ),
            Field(
                "from",
                .text(.moment),
                example: "2027-03-01T22:00:00+01:00",
                synonyms: ["starts_at", "begins"],
                "For a maintenance that comes once: its first moment; with to, and without weekdays. A date is its first moment in UTC."
            ),
            Field(
                "to",
                .text(.moment),
                example: "2027-03-02T02:00:00+01:00",
                synonyms: ["until", "ends_at", "ends", "end"],
                "The first moment after it."
            ),
            Field(
                "utc_offset_minutes",
                .integer(-720...840),
                example: "60",
                standard: "0",
                synonyms: ["offset"],
                "How far the clock that start is read from is before UTC, in summer and in winter."
            ),
            Field(
                "timezone",
                .text(.timeZone),
                synonyms: ["tz", "zone", "time_zone"],
                "The place whose clocks start is read from, summer time included, in place of utc_offset_minutes. A start that they "
                    + "skip is as much later; one that they show twice is the first."
            ),
        ]
    )
}
