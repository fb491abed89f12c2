// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing
import ReachAPI
package import Schema

extension ConfigurationSchema {
    /// `access`.
    static let access: [Key] = [
        Key(
            "tokens",
            .list(.object(token)),
            comparing: \.http.api.access.tokens,
            example: "[ { name: dashboard, token_file: /run/secrets/reachd-token } ]",
            synonyms: ["bearer_tokens", "api_tokens"],
            "Bearer tokens. Without any, everyone may read and local clients may write. Once tokens are configured, "
                + "every request except the health checks needs one."
        ),
        Key(
            "cors_origins",
            .list(.text(.line)),
            comparing: \.http.api.access.origins,
            example: #"[ "https://dashboard.example.org" ]"#,
            synonyms: ["cors", "allowed_origins", "origins"],
            "Origins of the web pages that may read the API (CORS), each as https://name or https://name:port. "
                + "Default: none."
        ),
        Key(
            section: "targets",
            synonyms: ["target_policy", "networks"],
            "Which targets clients may create or probe through the API, and objects of Kubernetes may lead to. Targets of this file "
                + "and of other sources of discovery are exempt.",
            title: "the policy for targets",
            targetPolicy
        ),
    ]

    /// `access.targets`.
    static let targetPolicy: [Key] = [
        Key(
            "allow",
            .oneOrMore(.text(.coverage)),
            comparing: \.http.targetPolicy.allowed,
            synonyms: ["allowed", "allow_networks", "allowed_networks"],
            "Allowed address blocks, or default for all addresses; all others are denied. Default: everything is "
                + "allowed that is not denied. The most specific block that contains an address decides."
        ),
        Key(
            "deny",
            .oneOrMore(.text(.coverage)),
            comparing: \.http.targetPolicy.denied,
            example: "10.66.0.0/16",
            synonyms: ["denied", "deny_networks", "denied_networks"],
            "Denied address blocks, in addition to those denied by default: link-local addresses, cloud metadata "
                + "services, multicast groups, 0.0.0.0/8 and ::. Wins over an equally specific block of allow."
        ),
        Key(
            "loopback",
            .boolean,
            comparing: \.http.targetPolicy.allowsLoopback,
            synonyms: ["localhost", "allow_loopback"],
            "Whether loopback addresses are allowed. Default: true if reachd listens only on loopback addresses and "
                + "unix sockets."
        ),
        Key(
            "kinds",
            .oneOrMore(.choice(TargetPolicy.Kind.all.map { .init($0.rawValue) })),
            comparing: \.http.targetPolicy.kinds,
            example: "[ tcp, tls, https ]",
            synonyms: ["schemes", "types", "protocols"],
            "Allowed kinds of probes; http and https are separate kinds. Default: all."
        ),
        Key(
            "ports",
            .oneOrMore(.text(.portRange)),
            comparing: \.http.targetPolicy.ports,
            example: "[ 443, 8000-8999 ]",
            synonyms: ["port"],
            "Allowed ports, each a number or a range such as 8000-8999. Default: all."
        ),
        Key(
            "proxies",
            \.http.targetPolicy.allowsProxies,
            .boolean,
            synonyms: ["proxy"],
            "Whether probes may use a proxy. The proxy resolves the target's name, so this policy cannot check the "
                + "address."
        ),
    ]

    /// An element of `tokens`.
    package static let token = ObjectSchema(
        "a token",
        fields: [
            Field(
                "name",
                .text(.line),
                example: "deployment",
                isRequired: true,
                synonyms: ["id", "user"],
                "The token's name in the log."
            ),
            Field(
                "digest",
                .text(.line),
                example: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
                synonyms: ["sha256", "hash"],
                "SHA-256 of the token in hexadecimal digits, as printed by `printf %s TOKEN | sha256sum`."
            ),
            Field(
                "token_file",
                .text(.path),
                example: "/run/secrets/reachd-token",
                synonyms: ["file"],
                "Alternative to digest: a file with the token as its only line. Read with the configuration."
            ),
            Field(
                "scopes",
                .oneOrMore(.choice([.init("read"), .init("write")])),
                example: "[ read, write ]",
                synonyms: ["scope", "permissions"],
                "What the token permits. Default: read. write does not include read."
            ),
        ]
    )
}
