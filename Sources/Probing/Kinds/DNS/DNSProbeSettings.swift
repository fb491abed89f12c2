// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
package import Schema

/// A query to the name server that is the request's host, and the expected answer.
package struct DNSProbeSettings: Sendable, Hashable {
    /// The transport of the query.
    package enum Transport: String, Sendable, Hashable, CaseIterable {
        /// UDP; a truncated answer is queried again over TCP.
        case udp
        /// TCP.
        case tcp
    }

    /// The queried name.
    package var name: String
    /// The queried type.
    package var type: DNSRecordType
    /// The queried class; 1 is the Internet, 3 is CHAOS (`version.bind`).
    package var recordClass: UInt16
    /// The server's port.
    package var port: UInt16
    /// The transport of the query.
    package var transport: Transport
    /// Whether the query requests recursion.
    package var recursionDesired: Bool
    /// The expected response codes.
    package var expectedCodes: Set<DNSResponseCode>
    /// The minimum number of records of the queried type in a NOERROR answer.
    package var minimumAnswers: Int
    /// Patterns, each of which must match the data of a record of the answer.
    package var requiredAnswers: [ProbePattern]
    /// Patterns, none of which may match the data of a record of the answer.
    package var refusedAnswers: [ProbePattern]
    /// Whether the answer must be authoritative.
    package var requiresAuthority: Bool

    /// Creates settings; everything but the name has a default.
    package init(
        name: String,
        type: DNSRecordType = .a,
        recordClass: UInt16 = 1,
        port: UInt16 = 53,
        transport: Transport = .udp,
        recursionDesired: Bool = true,
        expectedCodes: Set<DNSResponseCode> = [.noError],
        minimumAnswers: Int = 1,
        requiredAnswers: [ProbePattern] = [],
        refusedAnswers: [ProbePattern] = [],
        requiresAuthority: Bool = false
    ) {
        self.name = name
        self.type = type
        self.recordClass = recordClass
        self.port = port
        self.transport = transport
        self.recursionDesired = recursionDesired
        self.expectedCodes = expectedCodes
        self.minimumAnswers = minimumAnswers
        self.requiredAnswers = requiredAnswers
        self.refusedAnswers = refusedAnswers
        self.requiresAuthority = requiresAuthority
    }
}

extension DNSProbeSettings: ProbeSettings {
    static let description = ProbeKindDescription(
        "dns",
        title: "a name server answers",
        port: .standard(53),
        fields: [
            Field(
                "dns",
                .object(ObjectSchema("a DNS query", fields: question.fields(of: Self(name: "")))),
                example: "{ name: example.org, type: MX }",
                synonyms: ["question"],
                "The query to the target."
            )
        ],
        expectations: expectations.fields(of: Self(name: "")),
        questions: [
            .init(["dns", "name"], "Name to look up"), .init(["dns", "type"], "Type of records", defaultValue: "A"),
        ],
        answer: DNSAnswer.self
    )

    private static let question: [Setting<Self>] = [
        Setting(
            "name",
            \.name,
            .text(.line),
            example: "example.org",
            isRequired: true,
            synonyms: ["query_name", "query", "host"],
            "The name to look up."
        ),
        Setting(
            "type",
            \.type,
            .text(.line),
            example: "MX",
            synonyms: ["query_type", "record"],
            "The record type: A, AAAA, CAA, CNAME, DNSKEY, DS, HTTPS, MX, NAPTR, NS, PTR, SOA, SRV, SSHFP, SVCB, TLSA, TXT, ANY, or TYPE99."
        ),
        Setting(
            "transport",
            \.transport,
            .choice([.init("udp"), .init("tcp")]),
            synonyms: ["transport_protocol", "protocol"],
            "The transport protocol."
        ),
        Setting(
            "class",
            \.classWord,
            .choice([
                .init("in", synonyms: ["internet"]), .init("ch", synonyms: ["chaos"]),
                .init("hs", synonyms: ["hesiod"]),
            ]),
            synonyms: ["query_class"],
            "The record class; use ch for version.bind and similar names."
        ),
        Setting("recursion", \.recursionDesired, .boolean, "Whether to request recursion."),
    ]

    private static let expectations: [Setting<Self>] = [
        Setting(
            "rcode",
            .oneOrMore(.text(.line)),
            example: "[ NOERROR, NXDOMAIN ]",
            synonyms: ["valid_rcodes"],
            "The expected response codes. Default: NOERROR."
        ),
        Setting("min_answers", \.minimumAnswers, .integer(0...256), "The minimum number of records."),
        Setting(
            "answers",
            \.requiredAnswers,
            .oneOrMore(.text(.pattern)),
            example: #""mail""#,
            synonyms: ["fail_if_not_matches_regexp"],
            "Regular expressions; each must match the data of a record."
        ),
        Setting(
            "refused_answers",
            \.refusedAnswers,
            .oneOrMore(.text(.pattern)),
            example: #""evil""#,
            synonyms: ["fail_if_matches_regexp"],
            "Regular expressions; none may match the data of a record."
        ),
        Setting("authority", \.requiresAuthority, .boolean, "Whether the answer must be authoritative."),
    ]

    init?(_ declaration: inout ProbeDeclaration) {
        guard let question = declaration.object.object("dns"), let name = question.text("name") else {
            if !declaration.object.has("dns") {
                declaration.problems.add(.missingKey, at: "probe", "a probe of type dns needs the key dns")
            }
            return nil
        }
        if let typeName = question.text("type"), DNSRecordType(name: typeName) == nil {
            let words = "\(typeName.quoted) is not a record type"
            declaration.complain(.invalidValue, in: "dns", at: "type", words, hint: "write A, MX or TYPE99")
            return nil
        }
        guard let asked = Self.queryName(name) else {
            let words = "\(name.quoted) is not a name that can be looked up"
            declaration.complain(.invalidValue, in: "dns", at: "name", words, hint: "write example.org")
            return nil
        }
        self.init(name: asked)
        Self.question.read(question, into: &self)
        // The line before has read the name as it was written.
        self.name = asked
        port = declaration.port(defaultValue: 53) ?? 53
        guard let expect = declaration.expectation else { return }
        Self.expectations.read(expect, into: &self)
        var codes: Set<DNSResponseCode> = []
        for name in expect.texts("rcode") {
            if let code = DNSResponseCode(name: name) {
                codes.insert(code)
            } else {
                let words = "\(name.quoted) is not a response code"
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
    }

    /// Returns the name that is sent: in ASCII; nil for one with blanks, an empty label or too many bytes.
    package static func queryName(_ text: String) -> String? {
        guard let name = InternationalName.ascii(text), name.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            DNSQuestion(id: 0, name: name, type: .a, recordClass: 1, recursionDesired: true) != nil
        else { return nil }
        return name
    }

    /// The configuration's names of classes.
    private enum ClassWord: String, SettingValue {
        case `in`, ch, hs
    }

    private var classWord: ClassWord {
        get { recordClass == 3 ? .ch : recordClass == 4 ? .hs : .in }
        set { recordClass = newValue == .ch ? 3 : newValue == .hs ? 4 : 1 }
    }

    var askedPort: UInt16? { port }

    func asking(_ target: ProbeTarget, hasPort: Bool, hostname: String?) throws(ProbeTargetError) -> ProbeKind {
        var settings = self
        settings.port = target.port ?? (hasPort ? port : 53)
        return .dns(settings)
    }

    func attempt(_ context: AttemptContext, _ services: ProbeServices) -> any ProbeAttempt { DNSProbe(self, context) }
}

extension DNSProbeSettings.Transport: SettingValue {}

extension DNSRecordType: SettingValue {
    package init?(checked value: ValidatedValue) {
        guard let name = String(checked: value) else { return nil }
        self.init(name: name)
    }

    package func written(as type: FieldType) -> String? { description }
}
