// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema

/// The configuration keys of an HTTP request.
enum HTTPFields {
    /// The request headers.
    static let headers = Field(
        "headers",
        .labels,
        example: "{ Accept: application/json }",
        synonyms: ["header", "http_headers"],
        "The request headers."
    )

    /// Keys of the probe.
    static let probe: [Setting<HTTPProbeSettings>] = [
        Setting(
            "url",
            .text(.script),
            example: "https://shop.example.org/health",
            synonyms: ["uri", "address"],
            "The requested URL; its host is the target unless the target has one. Default: / of the "
                + "target, by https if tls is set."
        ),
        Setting(TLSSettings.field),
        Setting(headers),
        Setting("method", \.method, .text(.line), example: "HEAD", synonyms: ["verb"], "The method."),
        Setting("body", .text(.script), example: #"'{"ping":true}'"#, synonyms: ["data"], "The request body."),
        Setting(
            "http_version",
            \.version,
            .choice([
                .init("any", synonyms: ["auto"]), .init("1.1", synonyms: ["1", "http/1.1"]),
                .init("2", synonyms: ["h2", "http/2"]),
            ]),
            synonyms: ["version", "protocol"],
            "The HTTP version; any uses HTTP/2 over TLS if the server supports it."
        ),
        Setting(
            "redirects",
            \.redirects,
            .integer(0...50),
            example: "3",
            synonyms: ["follow_redirects", "max_redirects"],
            "The maximum number of redirects to follow; with 0 the redirect itself is the response."
        ),
        Setting("proxy", .object(HTTPProxy.schema), synonyms: ["proxy_url", "http_proxy"], "The HTTP proxy."),
        Setting(
            "auth",
            .object(HTTPCredentials.schema),
            synonyms: ["basic_auth", "bearer_token", "authorization"],
            "The credentials."
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
            "The maximum size of the body to read."
        ),
    ]

    /// Keys of the expectation.
    static let expectation: [Setting<HTTPExpectation>] = [
        Setting(
            "status",
            .text(.line),
            example: "200-299,304",
            synonyms: ["status_code", "valid_status_codes", "codes"],
            "The expected statuses, such as 200-299,304. Default: 200-299."
        ),
        Setting(
            "headers",
            .list(.object(headerExpectation)),
            example: "[ { name: Content-Type, matches: json } ]",
            synonyms: ["header"],
            "The expected headers."
        ),
        Setting(
            "body_contains",
            .oneOrMore(.text(.script)),
            example: "pong",
            synonyms: ["contains", "keyword"],
            "Texts that the body must contain."
        ),
        Setting(
            "body_not_contains",
            .oneOrMore(.text(.script)),
            example: #"[ "Fatal error" ]"#,
            "Texts that the body must not contain."
        ),
        Setting(
            "body_matches",
            .oneOrMore(.text(.pattern)),
            example: #"'"ok": *true'"#,
            synonyms: ["body", "fail_if_body_not_matches_regexp"],
            "Regular expressions that must match the body."
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
            "The expected values in a JSON body."
        ),
        Setting(
            "https",
            .boolean,
            synonyms: ["tls", "ssl"],
            "true: the response must come over TLS, after redirects too; false: without. Default: either."
        ),
        Setting(
            "bytes",
            \.comparesBytes,
            .boolean,
            synonyms: ["raw"],
            "Whether body_… and json compare the body's bytes as they come. Otherwise text of another charset is "
                + "converted to UTF-8 first, by its byte order mark or Content-Type."
        ),
        Setting("whole_body", \.refusesLargerBody, .boolean, "Whether a body larger than body_limit is a failure."),
    ]

    /// An element of `headers` of an expectation.
    private static let headerExpectation = ObjectSchema(
        "a header expectation",
        fields: [
            Field(
                "name",
                .text(.line),
                example: "Content-Type",
                isRequired: true,
                synonyms: ["header"],
                "The header's name."
            ),
            Field("present", .boolean, synonyms: ["exists"], "Whether the header must be present."),
            Field(
                "matches",
                .text(.pattern),
                example: "json",
                synonyms: ["regexp"],
                "A regular expression that must match its value."
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
        "a value expectation",
        fields: [
            Field(
                "path",
                .text(.line),
                example: "$$.queue.length",
                isRequired: true,
                synonyms: ["key"],
                "The path of the value: $.a.b[0].c; [-1] is the last element of an array."
            ),
            Field("present", .boolean, synonyms: ["exists"], "Whether the value must be present."),
            Field(
                "is",
                .choice([.init("=="), .init("!="), .init("<"), .init("<="), .init(">"), .init(">=")]),
                example: #""<""#,
                defaultValue: "==",
                synonyms: ["op", "operator", "compare"],
                "The comparison with value."
            ),
            Field(
                "value",
                .text(.line),
                example: "100",
                synonyms: ["equals", "to"],
                "A number, true, false, 'null', an array, an object, or a text; quote a text twice if it looks like one "
                    + "of the others."
            ),
            Field(
                "matches",
                .text(.pattern),
                example: #""^web""#,
                synonyms: ["regexp"],
                "A regular expression that must match its text."
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
                "The proxy's host name or address."
            ),
            Field("port", .integer(1...65_535), example: "3128", defaultValue: "8080", "The proxy's port."),
            Field("user", .text(.line), example: "reachd", synonyms: ["username"], "The user name for the proxy."),
            Field("password_file", .text(.path), example: "/etc/reachd/proxy.password", "The password file."),
        ]
    )
}

extension HTTPCredentials {
    /// The keys of `auth`.
    package static let schema = ObjectSchema(
        "credentials",
        fields: [
            Field("user", .text(.line), example: "reachd", synonyms: ["username"], "The basic authentication user."),
            Field(
                "password_file",
                .text(.path),
                example: "/etc/reachd/shop.password",
                synonyms: ["password"],
                "The file that contains the password as its only line."
            ),
            Field(
                "token_file",
                .text(.path),
                example: "/etc/reachd/shop.token",
                synonyms: ["bearer_token_file", "credentials_file", "token"],
                "The file that contains the bearer token as its only line."
            ),
        ]
    )
}

extension HTTPVersion: SettingValue {}
