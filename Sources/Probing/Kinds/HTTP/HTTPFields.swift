// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema

/// The keys of a request over HTTP.
enum HTTPFields {
    /// Headers that are sent.
    static let headers = Field(
        "headers",
        .labels,
        example: "{ Accept: application/json }",
        synonyms: ["header", "http_headers"],
        "Headers that are sent."
    )

    /// Keys of the probe.
    static let probe: [Setting<HTTPProbeSettings>] = [
        Setting(
            "url",
            .text(.script),
            example: "https://shop.example.org/health",
            synonyms: ["uri", "address"],
            "What is asked for. The target's host may be left out: it is the URL's then. When absent: / of the "
                + "target, by https if tls is there."
        ),
        Setting(TLSSettings.field),
        Setting(headers),
        Setting("method", \.method, .text(.line), example: "HEAD", synonyms: ["verb"], "The method."),
        Setting("body", .text(.script), example: #"'{"ping":true}'"#, synonyms: ["data"], "The body that is sent."),
        Setting(
            "http_version",
            \.version,
            .choice([
                .init("any", synonyms: ["auto"]), .init("1.1", synonyms: ["1", "http/1.1"]),
                .init("2", synonyms: ["h2", "http/2"]),
            ]),
            synonyms: ["version", "protocol"],
            "any speaks HTTP/2 over TLS with servers that have it."
        ),
        Setting(
            "redirects",
            \.redirects,
            .integer(0...50),
            example: "3",
            synonyms: ["follow_redirects", "max_redirects"],
            "How many redirects are followed; 0: the redirect is the answer."
        ),
        Setting("proxy", .object(HTTPProxy.schema), synonyms: ["proxy_url", "http_proxy"], "The proxy to go through."),
        Setting(
            "auth",
            .object(HTTPCredentials.schema),
            synonyms: ["basic_auth", "bearer_token", "authorization"],
            "What is shown to be let in."
        ),
        Setting(
            "compression",
            \.acceptsCompression,
            .boolean,
            synonyms: ["gzip"],
            "Whether the server may compress the body."
        ),
        Setting(
            "body_limit",
            \.bodyLimit,
            .byteCount(0...(64 << 20)),
            synonyms: ["body_size_limit", "max_body"],
            "How much of the body is read."
        ),
    ]

    /// Keys of the expectation.
    static let expectation: [Setting<HTTPExpectation>] = [
        Setting(
            "status",
            .text(.line),
            example: "200-299,304",
            synonyms: ["status_code", "valid_status_codes", "codes"],
            "What is right, as 200-299,304; 200-299 when absent."
        ),
        Setting(
            "headers",
            .list(.object(headerExpectation)),
            example: "[ { name: Content-Type, matches: json } ]",
            synonyms: ["header"],
            "What must hold for headers."
        ),
        Setting(
            "body_contains",
            .oneOrMore(.text(.script)),
            example: "pong",
            synonyms: ["contains", "keyword"],
            "Texts that must be in the body."
        ),
        Setting(
            "body_not_contains",
            .oneOrMore(.text(.script)),
            example: #"[ "Fatal error" ]"#,
            "Texts that must not be in the body."
        ),
        Setting(
            "body_matches",
            .oneOrMore(.text(.pattern)),
            example: #"'"ok": *true'"#,
            synonyms: ["body", "fail_if_body_not_matches_regexp"],
            "Regular expressions for the body."
        ),
        Setting(
            "body_not_matches",
            .oneOrMore(.text(.pattern)),
            example: #""(?i)maintenance""#,
            synonyms: ["fail_if_body_matches_regexp"],
            "Regular expressions that must not match the body."
        ),
        Setting(
            "json",
            .list(.object(jsonExpectation)),
            example: "[ { path: $$.ok, value: true } ]",
            synonyms: ["jsonpath", "json_path"],
            "What must hold for values of the body."
        ),
        Setting("whole_body", \.refusesLargerBody, .boolean, "Whether a body above body_limit is a failure."),
    ]

    /// An element of `headers` of an expectation.
    private static let headerExpectation = ObjectSchema(
        "a header's expectation",
        fields: [
            Field(
                "name",
                .text(.line),
                example: "Content-Type",
                isRequired: true,
                synonyms: ["header"],
                "The header's name."
            ),
            Field("present", .boolean, synonyms: ["exists"], "Whether it must be there."),
            Field(
                "matches",
                .text(.pattern),
                example: "json",
                synonyms: ["regexp"],
                "A regular expression for its value."
            ),
            Field(
                "not_matches",
                .text(.pattern),
                example: #""Apache/1""#,
                "A regular expression that must not match its value."
            ),
        ]
    )

    /// An element of `json` of an expectation.
    private static let jsonExpectation = ObjectSchema(
        "a value's expectation",
        fields: [
            Field(
                "path",
                .text(.line),
                example: "$$.queue.length",
                isRequired: true,
                synonyms: ["key"],
                "Where the value is: $.a.b[0].c."
            ),
            Field("present", .boolean, synonyms: ["exists"], "Whether there must be such a value."),
            Field(
                "is",
                .choice([.init("=="), .init("!="), .init("<"), .init("<="), .init(">"), .init(">=")]),
                example: #""<""#,
                defaultValue: "==",
                synonyms: ["op", "operator", "compare"],
                "How it is compared with value."
            ),
            Field(
                "value",
                .text(.line),
                example: "100",
                synonyms: ["equals", "to"],
                "A number, true, false, 'null', or a text; a text that looks like one of these in quotes inside quotes."
            ),
            Field(
                "matches",
                .text(.pattern),
                example: #""^web""#,
                synonyms: ["regexp"],
                "A regular expression for its text."
            ),
        ]
    )
}

extension HTTPProxy {
    /// The keys of `proxy`.
    package static let schema = ObjectSchema(
        "a proxy",
        fields: [
            Field(
                "host",
                .text(.host),
                example: "proxy.example.org",
                isRequired: true,
                synonyms: ["address", "url"],
                "Its name or address."
            ),
            Field("port", .integer(1...65_535), example: "3128", defaultValue: "8080", "Its port."),
            Field("user", .text(.line), example: "reachd", synonyms: ["username"], "The user there."),
            Field("password_file", .text(.path), example: "/etc/reachd/proxy.password", "The file with the password."),
        ]
    )
}

extension HTTPCredentials {
    /// The keys of `auth`.
    package static let schema = ObjectSchema(
        "credentials",
        fields: [
            Field("user", .text(.line), example: "reachd", synonyms: ["username"], "The user of basic authentication."),
            Field(
                "password_file",
                .text(.path),
                example: "/etc/reachd/shop.password",
                synonyms: ["password"],
                "The file that has the password as its only line."
            ),
            Field(
                "token_file",
                .text(.path),
                example: "/etc/reachd/shop.token",
                synonyms: ["bearer_token_file", "credentials_file", "token"],
                "The file that has a bearer token as its only line."
            ),
        ]
    )
}

extension HTTPVersion: SettingValue {}
