// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Testing

@testable import Importing

@Suite struct URLCredentialsTests {
    @Test(
        "a URL is split into what is shown and what is not",
        arguments: [
            ("https://u:p@example.org/a@b", "https://example.org/a@b", "u", "p"),
            ("https://u%40x:p%3A%2f@[2001:db8::1]:8443/?q=@", "https://[2001:db8::1]:8443/?q=@", "u@x", "p:/"),
            ("https://u@h", "https://h", "u", nil), ("https://u:a@b@h/", "https://h/", "u", "a@b"),
            ("https://${U}:${P}@${H}/x", "https://${H}/x", "${U}", "${P}"),
            ("https://h/%zz?a=b:c@d", "https://h/%zz?a=b:c@d", nil, nil),
            ("a@b://c", "a@b://c", nil, nil), ("u:p@h", "u:p@h", nil, nil), ("", "", nil, nil),
            ("://@", "://", "", nil),
        ] as [(String, String, String?, String?)]
    )
    func split(_ row: (text: String, url: String, user: String?, password: String?)) {
        let (url, credentials) = URLCredentials.split(row.text)
        #expect(url == row.url && credentials?.user == row.user && credentials?.password == row.password)
    }

    private static let texts: [(format: ForeignFormat, text: String)] = [
        (.gatus, "endpoints: [ { url: \"https://me:S3CRET@example.org/x\", conditions: [ \"[STATUS] == 200\" ] } ]"),
        (
            .gatus,
            "endpoints: [ { name: \"https://me:S3CRET@example.org/x\", url: \"https://me:S3CRET@example.org/x\" } ]"
        ),
        (
            .kuma,
            "{\"monitorList\": [ { \"id\": 1, \"type\": \"http\", \"name\": \"https://me:S3CRET@example.org/x\", \"url\": \"https://me:S3CRET@example.org/x\" } ]}"
        ),
        (
            .prometheus,
            """
            scrape_configs:
              - job_name: web
                metrics_path: /probe
                static_configs: [ { targets: [ "https://me:S3CRET@example.org/x" ], labels: { copy: "https://me:S3CRET@example.org/x" } } ]
                relabel_configs:
                  - { source_labels: [ __address__ ], target_label: __param_target }
                  - { source_labels: [ __param_target ], target_label: instance }
            """
        ),
        (
            .prometheus,
            """
            scrape_configs:
              - job_name: web
                metrics_path: /probe
                static_configs: [ { targets: [ "me:S3CRET@example.org/x" ] } ]
                relabel_configs:
                  - { source_labels: [ __address__ ], target_label: __param_target }
                  - { source_labels: [ __param_target ], target_label: instance }
            """
        ),
    ]

    @Test(
        "the password of a target's URL is in no id, name, URL and note; the user is, and a note names the file",
        arguments: 0..<5
    )
    func importers(_ index: Int) throws {
        let (format, text) = Self.texts[index]
        let imported = try ImportedConfiguration(Array(text.utf8), path: "theirs", format: format)
        #expect(!imported.text.contains("S3CRET") && !imported.notes.contains { $0.words.contains("S3CRET") })
        #expect(imported.text.contains("user: me\n") && imported.text.contains("example.org/x\""))
        #expect(imported.notes.contains { $0.words.contains("put the value of the password in ") })
        #expect(try load(imported.text).targets.count == 1)
    }

    @Test("credentials that have no effect, or are none, are noted")
    func others() throws {
        let text = """
            endpoints:
              - { name: a, url: "https://me:S3CRET@192.0.2.1", headers: { Authorization: "Bearer x" } }
              - { name: b, url: "tcp://me:S3CRET@192.0.2.1:1" }
              - { name: c, url: "https://me@192.0.2.1" }
              - { name: d, url: "https://${U}:${P}@192.0.2.1" }
            """
        let imported = try ImportedConfiguration(Array(text.utf8), path: "gatus.yaml")
        #expect(!imported.text.contains("S3CRET") && imported.text.contains("user: \"${U}\""))
        #expect(imported.notes.filter { $0.words.contains("have no effect") }.count == 2)
        #expect(imported.notes.filter { $0.words.contains("they are not a user and a password") }.count == 1)
    }
}
