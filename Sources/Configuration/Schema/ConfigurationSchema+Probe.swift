// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing
package import Schema

extension ConfigurationSchema {
    /// The type of a probe that waits for the target to call.
    static let push = "push"

    /// The types of probes by which reachd asks a target.
    static let asking = ProbeKind.all.map(\.description.name)

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
        var fields =
            [
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
            ] + DeclaredProbe.keys.fields(of: DeclaredProbe()) + [
                Field(
                    "expect",
                    .object(expectation),
                    example: "{ max_latency: 500ms }",
                    synonyms: ["assertions", "conditions", "validators"],
                    "What counts as an answer."
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
                defaultValue: "true",
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
                defaultValue: "0",
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
