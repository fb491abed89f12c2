// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Glibc
import History
import LinuxIO
import Monitoring
import Notifying
import Probing
import Schema
import TestSupport
import Testing

@testable import Importing

@Suite struct KumaTests {
    private static let fixtures = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/Fixtures/"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func sql(_ name: String) throws -> String {
        String(decoding: try BoundedFile.read(Self.fixtures + name, maximum: 1 << 20), as: UTF8.self)
    }

    /// A database of Uptime Kuma's, closed.
    ///
    /// - Parameters:
    ///   - version: Its version, 1 or 2.
    ///   - rows: More statements.
    private func database(_ version: Int, rows: String? = nil, named name: String = "kuma.db") throws -> String {
        let path = folder.path(of: name)
        let database = try SQLiteDatabase(path: path, mode: .create)
        try database.execute(try sql("kuma-1.23.sql"))
        if version == 2 { try database.execute(try sql("kuma-2.sql")) }
        try database.execute(try rows ?? sql("kuma-rows.sql"))
        return path
    }

    private func fault(_ path: String) -> String? {
        do throws(ConfigurationDiagnostics) {
            _ = try ImportedConfiguration(file: path)
            return nil
        } catch {
            return error.description
        }
    }

    private func write(_ bytes: [UInt8], to name: String) throws -> String {
        let path = folder.path(of: name)
        let file = OwnedDescriptor(
            owning: try systemCall("open") { unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) }
        )
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file.number, $0.baseAddress, $0.count) }
        try #require(count == bytes.count)
        return path
    }

    private func bytes(_ path: String) throws -> [UInt8] { try BoundedFile.read(path, maximum: 1 << 24) }

    // MARK: Databases

    @Test(
        "monitors, tags, groups, maintenances, the status page and receivers of both versions are imported",
        arguments: [1, 2]
    )
    func wholeDatabase(version: Int) throws {
        let path = try database(version)
        let before = try bytes(path)
        let imported = try ImportedConfiguration(file: path)
        #expect(imported.formats == [.kuma] && imported.count == 8)
        #expect(!imported.text.contains("S3CRET") && !imported.notes.contains { $0.words.contains("S3CRET") })
        let configuration = try load(imported.text)
        #expect(
            configuration.targets.map(\.id) == [
                "Front-page", "Q", "Port", "DNS", "Backup", "monitor-11", "mtls", "ptr",
            ]
        )
        #expect(configuration.targets.map(\.group).prefix(5) == ["Sites / Inner", "Web", nil, "Infra", nil])
        #expect(configuration.receivers.map(\.name) == ["Discord", "Mail-me"])
        let page = imported.text.components(after: "public:")
        #expect(page.contains("- \"Sites / Inner\"") && page.contains("- Infra") && page.contains("footer: hello"))
        #expect(imported.text.contains("# it is paused:\n#  - id: Ping\n"))
        #expect(
            imported.text.contains(
                "# reachd has no authentication of the kind 'oauth2-cc', and would be refused without:"
            )
        )
        #expect(imported.notes.allSatisfy { $0.position == nil })
        let domains = version == 2 ? 9 : 4
        #expect(
            imported.summary == "8 of 11 monitors imported, 2 more as comments; lost: \(domains) settings, 1 receiver"
        )
        #expect(try bytes(path) == before)
    }

    @Test("the settings of a monitor are keys of its probe")
    func settings() throws {
        let text = try ImportedConfiguration(file: try database(1)).text
        for line in [
            "method: POST", "Content-Type: application/json", "X-Token: \"${FRONT_PAGE_X_TOKEN:-}\"", "timeout: 48s",
            "password_file: /run/secrets/Front-page-password", "fall: 2", "rise: 1", "confirm_interval: 30s",
            "insecure_skip_verify: true", "certificate_days: 21", "status: \"200-299,304\"",
            "body_contains: \"\\\"ok\\\":true\"", "team: web", "x: \"yes\"", "path: \"$$.data[0].state\"", "value: UP",
            "password_file: /run/secrets/Q-proxy-password", "reachable: false", "name: \"77.2.0.192.in-addr.arpa\"",
            "grace: 7201s", "cert_file: /run/secrets/mtls-cert.pem", "from: \"2027-06-01T00:00:00.000Z\"",
            "remind: 600s",
            "start: \"02:00\"", "duration: 90m", "timezone: Europe/Berlin",
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
    }

    @Test("what was committed to the write-ahead log alone is imported, and no file is changed or left behind")
    func writeAheadLog() throws {
        let path = folder.path(of: "live.db")
        let live = try SQLiteDatabase(path: path, mode: .create)
        try live.execute(try sql("kuma-1.23.sql"))
        #expect(try live.text("PRAGMA journal_mode = WAL") == "wal")
        try live.execute(
            "INSERT INTO monitor (id, name, type, hostname, port) VALUES (1, 'a', 'port', '192.0.2.1', 22)"
        )
        let copy = folder.path(of: "copy")
        try Command.run(["mkdir", copy])
        for name in ["", "-wal"] { try Command.run(["cp", path + name, copy + "/kuma.db" + name]) }
        let before = try [bytes(copy + "/kuma.db"), bytes(copy + "/kuma.db-wal")]
        #expect(try ImportedConfiguration(file: copy + "/kuma.db").count == 1)
        #expect(try [bytes(copy + "/kuma.db"), bytes(copy + "/kuma.db-wal")] == before)
        #expect(try Command.run(["ls", copy]).split(separator: "\n") == ["kuma.db", "kuma.db-wal"])
        // The database itself has no rows yet.
        try Command.run(["rm", copy + "/kuma.db-wal"])
        #expect(fault(copy + "/kuma.db") != nil)
    }

    @Test("types, settings and conditions of version 2")
    func version2() throws {
        let rows = """
            INSERT INTO monitor (id, name, type, hostname, port, smtp_security) VALUES (1, 'smtp', 'smtp', 'mx.example.org', 587, 'starttls');
            INSERT INTO monitor (id, name, type, hostname) VALUES (2, 'ntp', 'ntp', '192.0.2.5');
            INSERT INTO monitor (id, name, type, hostname, dns_resolve_server, dns_resolve_type, conditions) VALUES
                (3, 'dns', 'dns', 'example.org', '192.0.2.53', 'A',
                '[{"type":"expression","variable":"record","operator":"equals","value":"192.0.2.1","andOr":"and"}]');
            INSERT INTO monitor (id, name, type, url, json_path, json_path_operator, expected_value, bearer_token, auth_method, ip_family)
                VALUES (4, 'json', 'json-query', 'https://192.0.2.1/', 'queue.length', '<', '100', 'S3CRET', 'bearer', 'ipv4');
            INSERT INTO monitor (id, name, type, url, json_path, expected_value) VALUES
                (5, 'function', 'json-query', 'https://192.0.2.1/', '$count(items)', '3');
            INSERT INTO monitor (id, name, type, grpc_url, grpc_service_name, grpc_method, keyword, grpc_protobuf, grpc_enable_tls) VALUES
                (6, 'health', 'grpc-keyword', '192.0.2.9:50051', 'Health', 'check', 'SERVING', 'package grpc.health.v1;', 1),
                (7, 'other', 'grpc-keyword', '192.0.2.9:50051', 'Greeter', 'hello', 'Hi', '', 0);
            INSERT INTO monitor (id, name, type, hostname, ping_count) VALUES (8, 'ping', 'ping', '192.0.2.3', 3);
            INSERT INTO monitor (id, name, type, url, keyword, upside_down) VALUES (9, 'turned', 'keyword', 'http://192.0.2.1/', 'x', 1);
            ALTER TABLE monitor ADD COLUMN new_setting TEXT;
            INSERT INTO monitor (id, name, type, hostname, port, new_setting) VALUES (10, 'new', 'port', '192.0.2.1', 1, 'yes');
            """
        let imported = try ImportedConfiguration(file: try database(2, rows: rows))
        let targets = try load(imported.text).targets
        #expect(targets.map(\.id) == ["smtp", "ntp", "dns", "json", "function", "health", "ping", "new"])
        for line in [
            "starttls: smtp", "max_stratum: 5", "max_offset: 1000ms", "is: \"<\"", "value: \"100\"", "family: ipv4",
            "token_file: /run/secrets/json-token", "answers: \"^\\\"?192\\\\.0\\\\.2\\\\.1\\\\.?\\\"?$$\"", "tls: {}",
            "count: 3",
        ] {
            #expect(imported.text.contains(line + "\n"), "\(line)")
        }
        let words = imported.notes.map(\.words)
        #expect(words.contains("the monitor function: the query '$count(items)' is not carried over; see expect.json"))
        #expect(
            words.contains {
                $0.hasPrefix("the monitor other is left out: reachd has no probe of the type 'grpc-keyword'")
            }
        )
        #expect(words.contains("the monitor new: 'new_setting' is not carried over"))
        #expect(imported.text.contains("# it is upside down, and reachd can expect that there is no answer"))
    }

    @Test("hostile and foreign databases are refused, or give what they have")
    func hostile() throws {
        let good = try bytes(try database(1))
        for (index, length) in [16, 100, 4_096, good.count / 2, good.count - 1].enumerated() {
            // Either answer is right; none may end the process or hang.
            _ = fault(try write(Array(good[..<length]), to: "cut-\(index).db"))
        }
        var random = SeededGenerator(seed: 7)
        for round in 0..<60 {
            var bytes = good
            for _ in 0..<40 {
                bytes[Int.random(in: 100..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = fault(try write(bytes, to: "damaged-\(round).db"))
        }
        let view = """
            DROP TABLE monitor; CREATE VIEW monitor AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
            SELECT id, 'port' AS type FROM n;
            """
        #expect(fault(try database(1, rows: view, named: "view.db"))?.contains("has no table monitor") == true)
        let long = "INSERT INTO monitor (id, name, type) VALUES (1, zeroblob(2000000), 'ping')"
        #expect(fault(try database(1, rows: long, named: "long.db"))?.contains("too big") == true)
        let loop = """
            INSERT INTO monitor (id, name, type, parent) VALUES (1, 'a', 'group', 2), (2, 'b', 'group', 1);
            INSERT INTO monitor (id, name, type, hostname, parent, interval, maxretries, retry_interval, timeout) VALUES
                (3, 'x', 'ping', 'example.org', 1, 9223372036854775807, 9223372036854775807, -5, 1e300),
                (4, 'y', 'ping', 'example.org', 3, -1, -1, 'x', 'y');
            """
        #expect(fault(try database(1, rows: loop, named: "loop.db")) == nil)
    }

    // MARK: Backups

    private func backup(_ monitors: String, rest: String = "") throws -> ImportedConfiguration {
        let text = "{\"version\": \"1.23.16\", \(rest)\"monitorList\": [\n\(monitors)\n]}"
        return try ImportedConfiguration(Array(text.utf8), path: "backup.json")
    }

    @Test("a backup has its tags and notifications in its monitors, and notes have lines")
    func backups() throws {
        let notifications = """
            "notificationList": [ { "id": 7, "name": "TG \u{1F4E3}", "active": true, "config": "{\\"type\\": \\"telegram\\", \
            \\"telegramBotToken\\": \\"S3CRET\\", \\"telegramChatID\\": \\"-1\\"}" },
            { "id": 8, "name": "no", "config": "{\\"type\\": \\"ntfy\\", \\"ntfytopic\\": \\"t\\"}" } ],
            """
        let imported = try backup(
            """
            {"id": 1, "name": "caf\\u00e9 \\ud83d\\ude00", "type": "http", "url": "https://example.org", "maxretries": 0, "interval": 60,
              "ignoreTls": true, "retryInterval": 60, "tags": [ { "name": "a", "value": "1" }, { "name": "a", "value": "2" } ],
              "notificationIDList": { "7": true, "8": false }, "accepted_statuscodes": [ "200" ] },
            {"id": 2, "name": "paused", "type": "ping", "hostname": "192.0.2.1", "active": false, "interval": 20, "maxretries": 0 },
            {"id": 3, "name": "mongo", "type": "mongodb", "databaseConnectionString": "mongodb://u:S3CRET@h", "interval": 20 }
            """,
            rest: notifications
        )
        #expect(!imported.text.contains("S3CRET") && !imported.notes.contains { $0.words.contains("S3CRET") })
        let configuration = try load(imported.text)
        #expect(configuration.targets.map(\.name) == ["café \u{1F600}"])
        #expect(configuration.receivers.map(\.name) == ["TG"])
        for line in ["a: \"1,2\"", "insecure_skip_verify: true", "status: \"200\""] {
            #expect(imported.text.contains(line))
        }
        #expect(
            imported.notes.contains {
                $0.position?.line == 6 && $0.words.contains("is written as a comment: it is paused")
            }
        )
        #expect(imported.summary == "1 of 3 monitors imported, 1 more as comments")
    }

    @Test("monitors may be by their numbers, as the page gets them")
    func mapping() throws {
        let text =
            "{\"monitorList\": {\"7\": {\"id\": 7, \"name\": \"a\", \"type\": \"ping\", \"hostname\": \"192.0.2.1\"}}}"
        #expect(try ImportedConfiguration(Array(text.utf8), path: "list.json").count == 1)
    }

    @Test("the rows of tables as JSON are as the database, and files of MariaDB say so")
    func rowsOfMariaDB() throws {
        let text = """
            {"monitor": [ { "id": 1, "name": "a", "type": "port", "hostname": "192.0.2.1", "port": 22, "interval": 60, "maxretries": 1,
              "retry_interval": 20, "accepted_statuscodes_json": "[\\"200-299\\"]", "active": 1 } ],
             "tag": [ { "id": 4, "name": "t" } ], "monitor_tag": [ { "monitor_id": 1, "tag_id": 4, "value": "v" } ]}
            """
        let imported = try ImportedConfiguration(Array(text.utf8), path: "rows.json")
        #expect(imported.text.contains("t: v\n") && imported.text.contains("confirm_interval: 20s\n"))
        for text in ["{\"type\": \"embedded-mariadb\"}", "-- MariaDB dump 10.19\nCREATE TABLE `a` (`b` int);\n"] {
            try folder.write(text, to: "mariadb")
            #expect(fault(folder.path(of: "mariadb"))?.contains("Uptime Kuma's data is in MariaDB") == true, "\(text)")
        }
    }

    @Test("each service that reachd has becomes a receiver, whose secrets are in files")
    func services() throws {
        let configs = [
            ("discord", "\"discordWebhookUrl\": \"S3CRET\""), ("slack", "\"slackwebhookURL\": \"S3CRET\""),
            ("teams", "\"webhookUrl\": \"S3CRET\""), ("mattermost", "\"mattermostWebhookUrl\": \"S3CRET\""),
            ("telegram", "\"telegramBotToken\": \"S3CRET\", \"telegramChatID\": \"-1\""),
            ("ntfy", "\"ntfytopic\": \"t\", \"ntfyserverurl\": \"https://ntfy.sh\", \"ntfyPriority\": 5"),
            ("gotify", "\"gotifyserverurl\": \"https://g.example\", \"gotifyapplicationToken\": \"S3CRET\""),
            ("pushover", "\"pushoverapptoken\": \"S3CRET\", \"pushoveruserkey\": \"S3CRET\""),
            ("PagerDuty", "\"pagerdutyIntegrationKey\": \"S3CRET\""), ("Opsgenie", "\"opsgenieApiKey\": \"S3CRET\""),
            (
                "matrix",
                "\"homeserverUrl\": \"https://m.example\", \"internalRoomId\": \"!a:b\", \"accessToken\": \"S3CRET\""
            ),
            (
                "webhook",
                "\"webhookURL\": \"https://h.example/\", \"webhookAdditionalHeaders\": \"{\\\"X-Key\\\": \\\"S3CRET\\\"}\""
            ),
            (
                "smtp",
                "\"smtpHost\": \"m.example\", \"smtpPort\": 465, \"smtpSecure\": true, \"smtpFrom\": \"A <a@b.c>\", \"smtpTo\": \"d@e.f\""
            ),
        ]
        let list = configs.enumerated().map { index, config in
            "{\"id\": \(index), \"name\": \"\(config.0)\", \"active\": true, \"config\": {\"type\": \"\(config.0)\", \(config.1)}}"
        }.joined(separator: ", ")
        let used = configs.indices.map { "\"\($0)\": true" }.joined(separator: ", ")
        let imported = try backup(
            "{\"id\": 1, \"name\": \"a\", \"type\": \"ping\", \"hostname\": \"192.0.2.1\", \"notificationIDList\": {\(used)}}",
            rest: "\"notificationList\": [\(list)], "
        )
        #expect(!imported.text.contains("S3CRET") && !imported.notes.contains { $0.words.contains("S3CRET") })
        #expect(try load(imported.text).receivers.map(\.name) == configs.map(\.0))
        #expect(imported.notes.contains { $0.words.hasSuffix("settings are not carried over: ntfy_priority") })
        #expect(imported.text.contains("from: \"a@b.c\"") && imported.text.contains("url: \"smtps://m.example:465\""))
    }

    @Test("cron expressions of the week are weekly maintenances, others are lost")
    func cron() throws {
        for (cron, expected) in [
            ("30 3 * * 6", "start: \"03:30\""), ("0 0 2 * * MON-FRI", "- friday"), ("0 1,13 * * *", "start: \"13:00\""),
            ("*/5 * * * *", nil), ("0 2 1 * *", nil), ("0 2 * * 5-1", nil), ("61 2 * * *", nil), ("", nil),
        ] {
            let text = """
                {"monitor": [ { "id": 1, "name": "a", "type": "ping", "hostname": "192.0.2.1" } ],
                 "maintenance": [ { "id": 2, "title": "m", "active": 1, "strategy": "cron", "cron": "\(cron)", "duration": 3600 } ],
                 "monitor_maintenance": [ { "monitor_id": 1, "maintenance_id": 2 } ]}
                """
            let imported = try ImportedConfiguration(Array(text.utf8), path: "rows.json")
            _ = try load(imported.text)
            #expect(imported.text.contains("maintenance:") == (expected != nil), "\(cron)")
            #expect(expected.map(imported.text.contains) ?? true, "\(cron)")
            #expect(
                imported.notes.contains { $0.words.contains("'m' is not carried over") } == (expected == nil),
                "\(cron)"
            )
        }
    }

    @Test("a group of which not all targets are on the status page is not made public")
    func publicGroups() throws {
        let text = """
            {"monitor": [ { "id": 1, "name": "g", "type": "group" },
              { "id": 2, "name": "a", "type": "ping", "hostname": "192.0.2.1", "parent": 1 },
              { "id": 3, "name": "b", "type": "ping", "hostname": "192.0.2.2", "parent": 1 },
              { "id": 4, "name": "c", "type": "ping", "hostname": "192.0.2.3" } ],
             "status_page": [ { "id": 8, "title": "draft", "published": 0 }, { "id": 9, "title": "S", "published": 1 } ],
             "group": [ { "id": 5, "name": "one", "status_page_id": 9 }, { "id": 6, "name": "two", "status_page_id": 9 } ],
             "monitor_group": [ { "monitor_id": 2, "group_id": 5 }, { "monitor_id": 4, "group_id": 6 } ]}
            """
        let imported = try ImportedConfiguration(Array(text.utf8), path: "rows.json")
        #expect(imported.text.components(after: "public:").contains("- two"))
        #expect(!imported.text.components(after: "public:").contains("- g"))
        #expect(imported.notes.contains { $0.words.hasPrefix("the status page 'draft' is not carried over") })
        #expect(imported.notes.contains { $0.words.contains("the group 'one' is not carried over: not all targets") })
    }

    @Test("no backup ends the process")
    func fuzz() throws {
        let values = ["null", "1", "\"x\"", "[]", "{}", "-1", "1e308", "true", "\"[{}]\"", "\"\\u0000\\n\"", "[[1]]"]
        let keys = KumaProbe.columns.sorted()
        let types = [
            "http", "keyword", "json-query", "port", "ping", "dns", "push", "group", "smtp", "ntp", "grpc-keyword",
        ]
        var random = SeededGenerator(seed: 3)
        for _ in 0..<150 {
            let monitors = (0..<4).map { number in
                let members = (0..<12).map { _ in
                    "\"\(keys.randomElement(using: &random) ?? "")\": \(values.randomElement(using: &random) ?? "")"
                }
                let type = types.randomElement(using: &random) ?? ""
                return "{\"type\": \"\(type)\", \"id\": \(number), \(members.joined(separator: ", "))}"
            }
            do throws(ConfigurationDiagnostics) {
                let imported = try ImportedConfiguration(
                    Array("{\"monitorList\": [\(monitors.joined(separator: ", "))]}".utf8),
                    path: "fuzz.json"
                )
                #expect(faults(imported.text, environment: [:]).isEmpty)
            } catch {
                #expect(!error.diagnostics.isEmpty)
            }
        }
    }
}

extension String {
    /// What is behind a text.
    fileprivate func components(after text: String) -> String {
        firstRange(of: text).map { String(self[$0.upperBound...]) } ?? ""
    }
}
