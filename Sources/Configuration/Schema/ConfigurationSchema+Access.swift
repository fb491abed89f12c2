// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension ConfigurationSchema {
    /// `access`.
    public static let access = ObjectSchema(
        "access",
        fields: [
            Field(
                "tokens",
                .list(.object(token)),
                synonyms: ["bearer_tokens", "api_tokens"],
                "The tokens that let in. With none everybody may read, and who is on this machine may change something; with some "
                    + "nobody may do anything without one but ask whether reachd is well."
            ),
            Field(
                "cors_origins",
                .list(.text(.line)),
                synonyms: ["cors", "allowed_origins", "origins"],
                "The sites whose pages may read, each as https://name or https://name:port. When absent none."
            ),
        ]
    )

    /// An element of `tokens`.
    public static let token = ObjectSchema(
        "a token",
        fields: [
            Field("name", .text(.line), isRequired: true, synonyms: ["id", "user"], "What it is called."),
            Field(
                "digest",
                .text(.line),
                synonyms: ["sha256", "hash"],
                "SHA-256 of the token in hexadecimal digits, as `printf %s TOKEN | sha256sum` prints it."
            ),
            Field(
                "token_file",
                .text(.path),
                synonyms: ["file"],
                "The file that has the token as its only line, instead; it is read with the configuration."
            ),
            Field(
                "scopes",
                .oneOrMore(.choice([.init("read"), .init("write")])),
                synonyms: ["scope", "permissions"],
                "What it is good for; read when absent. write does not include read."
            ),
        ]
    )
}
