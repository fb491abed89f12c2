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
            "The tokens that let in. With none everybody may read, and who is on this machine may change something; with some "
                + "nobody may do anything without one but ask whether reachd is well."
        ),
        Key(
            "cors_origins",
            .list(.text(.line)),
            comparing: \.http.api.access.origins,
            example: #"[ "https://dashboard.example.org" ]"#,
            synonyms: ["cors", "allowed_origins", "origins"],
            "The sites whose pages may read, each as https://name or https://name:port. When absent none."
        ),
        Key(
            section: "targets",
            synonyms: ["target_policy", "networks"],
            "Which targets clients may name, and thereby whom they may have asked from here; those of this file and of "
                + "discovery are not bound.",
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
            "Address blocks that may be named, default for all; when absent every one that is not closed. Of the blocks that "
                + "hold an address the narrowest decides."
        ),
        Key(
            "deny",
            .oneOrMore(.text(.coverage)),
            comparing: \.http.targetPolicy.denied,
            example: "10.66.0.0/16",
            synonyms: ["denied", "deny_networks", "denied_networks"],
            "Address blocks that may not, besides those that are closed anyway: link-local addresses and the metadata "
                + "services of clouds, groups, 0.0.0.0/8 and ::. As wide as one of allow, it wins."
        ),
        Key(
            "loopback",
            .boolean,
            comparing: \.http.targetPolicy.allowsLoopback,
            synonyms: ["localhost", "allow_loopback"],
            "Whether loopback addresses are open. When absent: if reachd listens on loopback addresses and unix sockets only."
        ),
        Key(
            "kinds",
            .oneOrMore(.choice(TargetPolicy.Kind.all.map { .init($0.rawValue) })),
            comparing: \.http.targetPolicy.kinds,
            example: "[ tcp, tls, https ]",
            synonyms: ["schemes", "types", "protocols"],
            "Kinds of probes that are open, http and https apart; when absent all."
        ),
        Key(
            "ports",
            .oneOrMore(.text(.portRange)),
            comparing: \.http.targetPolicy.ports,
            example: "[ 443, 8000-8999 ]",
            synonyms: ["port"],
            "Ports that are open, each alone or as a range such as 8000-8999; when absent all."
        ),
        Key(
            "proxies",
            \.http.targetPolicy.allowsProxies,
            .boolean,
            synonyms: ["proxy"],
            "Whether a probe may go through a proxy, which finds the target's address where this policy cannot see it."
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
                "What it is called."
            ),
            Field(
                "digest",
                .text(.line),
                example: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
                synonyms: ["sha256", "hash"],
                "SHA-256 of the token in hexadecimal digits, as `printf %s TOKEN | sha256sum` prints it."
            ),
            Field(
                "token_file",
                .text(.path),
                example: "/run/secrets/reachd-token",
                synonyms: ["file"],
                "The file that has the token as its only line, instead; it is read with the configuration."
            ),
            Field(
                "scopes",
                .oneOrMore(.choice([.init("read"), .init("write")])),
                example: "[ read, write ]",
                synonyms: ["scope", "permissions"],
                "What it is good for; read when absent. write does not include read."
            ),
        ]
    )
}
