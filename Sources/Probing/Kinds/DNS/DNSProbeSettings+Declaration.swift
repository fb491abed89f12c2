// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

extension DNSProbeSettings: ProbeSettings {
    static let description = ProbeKindDescription(
        "dns",
        title: "a name server answers",
        port: .standard(53),
        fields: [
            Field(
                "dns",
                .object(question),
                example: "{ name: example.org, type: MX }",
                synonyms: ["question"],
                "What is asked of the target."
            )
        ],
        expectations: expectations,
        questions: [
            .init(["dns", "name"], "Name to look up"), .init(["dns", "type"], "Type of records", standard: "A"),
        ],
        answer: DNSAnswer.self
    )

    private static let question = ObjectSchema(
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

    private static let expectations = [
        Field(
            "rcode",
            .oneOrMore(.text(.line)),
            example: "[ NOERROR, NXDOMAIN ]",
            synonyms: ["valid_rcodes"],
            "The response codes that are right; NOERROR when absent."
        ),
        Field("min_answers", .integer(0...256), standard: "1", "How many records there must be."),
        Field(
            "answers",
            .oneOrMore(.text(.pattern)),
            example: #""mail""#,
            synonyms: ["fail_if_not_matches_regexp"],
            "Regular expressions, each of which must match a record's data."
        ),
        Field(
            "refused_answers",
            .oneOrMore(.text(.pattern)),
            example: #""evil""#,
            synonyms: ["fail_if_matches_regexp"],
            "Regular expressions, none of which may match a record's data."
        ),
        Field("authority", .boolean, standard: "false", "Whether the server must be the authority."),
    ]

    init?(_ declaration: inout ProbeDeclaration) {
        guard let question = declaration.object.object("dns"), let name = question.text("name") else {
            if !declaration.object.has("dns") {
                declaration.complaints.add(.missingKey, at: "probe", "a probe of type dns needs the key dns")
            }
            return nil
        }
        let typeName = question.text("type") ?? "A"
        guard let type = DNSRecordType(name: typeName) else {
            let words = "\(typeName.quoted) is no type of records"
            declaration.complain(.invalidValue, in: "dns", at: "type", words, hint: "write A, MX or TYPE65")
            return nil
        }
        self.init(name: name, type: type)
        port = declaration.port(standard: 53) ?? 53
        transport = question.text("transport").flatMap(Transport.init) ?? .udp
        recordClass = ["ch": 3, "hs": 4][question.text("class") ?? "in"] ?? 1
        recursionDesired = question.boolean("recursion") ?? true
        guard let expect = declaration.expectation else { return }
        var codes: Set<DNSResponseCode> = []
        for name in expect.texts("rcode") {
            if let code = DNSResponseCode(name: name) {
                codes.insert(code)
            } else {
                let words = "\(name.quoted) is no response code"
                declaration.complain(
                    .invalidValue,
                    in: "expect",
                    at: "rcode",
                    words,
                    hint: "write NOERROR, NXDOMAIN, …"
                )
            }
        }
        if !codes.isEmpty { expectedCodes = codes }
        minimumAnswers = expect.integer("min_answers") ?? 1
        requiredAnswers = expect.specials("answers")
        refusedAnswers = expect.specials("refused_answers")
        requiresAuthority = expect.boolean("authority") ?? false
    }

    var askedPort: UInt16? { port }

    func asking(_ target: ProbeTarget, hasPort: Bool, hostname: String?) throws(ProbeTargetError) -> ProbeKind {
        var settings = self
        settings.port = target.port ?? (hasPort ? port : 53)
        return .dns(settings)
    }

    func attempt(_ context: AttemptContext, _ services: ProbeServices) -> any ProbeAttempt { DNSProbe(self, context) }
}
