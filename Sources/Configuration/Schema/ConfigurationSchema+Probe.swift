// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing
package import Schema

extension ConfigurationSchema {
    /// The type of passive probes, for which the target calls reachd.
    static let push = "push"

    /// The type of targets that are not probed: this machine's own connections are the evidence.
    static let traffic = "traffic"

    /// The types of active probes.
    static let asking = ProbeKind.all.map(\.description.name)

    private static let withPort =
        ProbeKind.all.filter { $0.description.port != .none }.map(\.description.name) + [traffic]

    private static let variants = ObjectSchema.Variants(
        key: "type",
        words: asking + [push, traffic],
        groups: [
            ("active probes", Set(asking)),
            ("types with a port", Set(withPort)),
        ]
    )

    /// `probe` of a target.
    package static let probe: ObjectSchema = {
        var fields =
            [
                Field(
                    "type",
                    .choice(
                        ProbeKind.all.map { .init($0.description.name, synonyms: $0.description.synonyms) }
                            + [
                                .init(push, synonyms: ["heartbeat", "ttl", "passive"]),
                                .init(traffic, synonyms: ["connections", "observed"]),
                            ]
                    ),
                    example: "http",
                    isRequired: true,
                    synonyms: ["kind", "prober", "check"],
                    "How the target is checked. With push, reachd waits for the target to call instead; with traffic, it sends "
                        + "nothing and evaluates this machine's own TCP connections with the target."
                ),
                Field("port", .integer(1...65_535), example: "443", "The port. Default: the target's.").only(
                    in: withPort
                ),
            ] + DeclaredProbe.keys.fields(of: DeclaredProbe()) + [
                Field(
                    "expect",
                    .object(expectation),
                    example: "{ max_latency: 500ms }",
                    synonyms: ["assertions", "conditions", "validators"],
                    "What counts as a successful answer."
                ).only(in: asking)
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
                "The module's name in requests to /probe. A request without a module uses http_2xx."
            ),
            Field(
                "probe",
                .object(probe),
                example: "{ type: http, timeout: 5s, redirects: 5 }",
                isRequired: true,
                synonyms: ["prober", "check", "settings"],
                "The probe, as in a target, without url and the keys for intervals and state changes. Without a "
                    + "timeout, it ends half a second before the scrape's timeout "
                    + "(X-Prometheus-Scrape-Timeout-Seconds, 120 s without that header); with one, no later than that."
            ),
        ]
    )

    /// `expect` of a probe.
    package static let expectation: ObjectSchema = {
        var fields = [
            Field(
                "reachable",
                .boolean,
                defaultValue: "true",
                synonyms: ["connected"],
                "false for a target that must not answer: an answer is then a failure. Silence is a success only where "
                    + "the path to the target is known to work."
            ),
            Field(
                "max_latency",
                .duration(milliseconds: 1...3_600_000),
                example: "500ms",
                synonyms: ["latency", "response_time"],
                "Answers that take longer make the target degraded."
            ),
            Field(
                "resolved",
                .oneOrMore(.text(.coverage)),
                example: #"[ 192.0.2.0/24, "2001:db8::/32" ]"#,
                synonyms: ["ip", "resolved_addresses"],
                "Address blocks that every address of the target must be in."
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
                "For a weekly maintenance: the days on which it begins. Needs start and duration."
            ),
            Field("start", .text(.timeOfDay), synonyms: ["begin", "at"], "The time of day, as HH:MM."),
            Field(
                "duration",
                .duration(milliseconds: 60_000...604_800_000),
                example: "2h",
                synonyms: ["length", "for"],
                "How long each maintenance lasts."
            ),
            Field(
                "from",
                .text(.moment),
                example: "2027-03-01T22:00:00+01:00",
                synonyms: ["starts_at", "begins"],
                "For a single maintenance: its begin. Needs to; excludes weekdays. A date means 00:00 UTC."
            ),
            Field(
                "to",
                .text(.moment),
                example: "2027-03-02T02:00:00+01:00",
                synonyms: ["until", "ends_at", "ends", "end"],
                "The end of a single maintenance, exclusive. A date means 00:00 UTC."
            ),
            Field(
                "utc_offset_minutes",
                .integer(-720...840),
                example: "60",
                defaultValue: "0",
                synonyms: ["offset"],
                "The offset from UTC of the clock that start refers to, east positive, the same in summer and winter."
            ),
            Field(
                "timezone",
                .text(.timeZone),
                synonyms: ["tz", "zone", "time_zone"],
                "The time zone that start refers to, with daylight saving time; replaces utc_offset_minutes. A start "
                    + "that the clocks skip is later by the skipped time; of one that occurs twice, the first is used."
            ),
        ]
    )
}
