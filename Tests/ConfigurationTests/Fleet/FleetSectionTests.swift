// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import PostgreSQL
import Schema
import Testing

@testable import Configuration

@Suite("The section fleet") struct FleetSectionTests {
    @Test("by default there is no fleet")
    func absent() throws {
        let fleet = try load("").fleet
        #expect(fleet == FleetNodeSettings())
        #expect(fleet.database == nil && fleet.node == nil && fleet.location == "default")
        #expect(fleet.capacity == 100_000 && fleet.coordinates && fleet.listens)
        #expect(try fleet.connection() == nil)
    }

    @Test("every key")
    func everyKey() throws {
        let fleet = try load(
            """
            fleet:
              database: postgresql://reachd@db-1.example,db-2.example:6432/reachd?target_session_attrs=read-write
              password_file: /run/secrets/database
              node: node-3
              location: berlin
              url: https://node-3.example:7532
              capacity: 0
              coordinate: false
              listen: false
            """
        ).fleet
        var expected = FleetNodeSettings()
        expected.database = "postgresql://reachd@db-1.example,db-2.example:6432/reachd?target_session_attrs=read-write"
        expected.passwordFile = "/run/secrets/database"
        expected.node = "node-3"
        expected.location = "berlin"
        expected.url = "https://node-3.example:7532"
        expected.capacity = 0
        expected.coordinates = false
        expected.listens = false
        #expect(fleet == expected)
        let connection = try #require(try fleet.connection())
        #expect(connection.user == "reachd" && connection.database == "reachd")
        #expect(connection.passwordFile == "/run/secrets/database")
    }

    @Test("every key has its variable, which wins over the file")
    func variables() throws {
        let environment = [
            "REACHD_FLEET_DATABASE": "postgresql://a@b/c", "REACHD_FLEET_PASSWORD_FILE": "/p", "REACHD_FLEET_NODE": "n",
            "REACHD_FLEET_LOCATION": "l", "REACHD_FLEET_URL": "https://u", "REACHD_FLEET_CAPACITY": "7",
            "REACHD_FLEET_COORDINATE": "false", "REACHD_FLEET_LISTEN": "false",
        ]
        var expected = FleetNodeSettings()
        expected.database = "postgresql://a@b/c"
        expected.passwordFile = "/p"
        expected.node = "n"
        expected.location = "l"
        expected.url = "https://u"
        expected.capacity = 7
        expected.coordinates = false
        expected.listens = false
        #expect(try load("fleet: { node: x, location: y, capacity: 1 }", environment: environment).fleet == expected)
        #expect(Set(EnvironmentVariables.keys.keys.filter { $0.hasPrefix("REACHD_FLEET_") }) == Set(environment.keys))
    }

    @Test(
        "a URI that cannot be used is refused with its place and the next step",
        arguments: [
            (
                "postgresql://reachd:secret@db.example/reachd",
                "the URI contains a password; remove it and set password_file"
            ),
            ("postgresql://reachd@db.example/reachd?password=secret", "password"),
            ("db.example", "the value is not usable: the database is not a URI"),
            ("mysql://db.example/x", "the value is not usable: the database is not a URI"),
            ("postgresql://db.example:99999/x?user=a", "port"),
        ]
    )
    func unusable(uri: String, words: String) {
        let found = diagnostics("fleet:\n  database: \"\(uri)\"")
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasPrefix("reachd.yaml:2:13: ") == true, "\(found)")
        #expect(found.first?.contains(words) == true, "\(found)")
        let variable = diagnostics("", environment: ["REACHD_FLEET_DATABASE": uri])
        #expect(variable.count == 1, "\(variable)")
        #expect(variable.first?.hasPrefix("environment variable REACHD_FLEET_DATABASE: ") == true, "\(variable)")
    }

    @Test(
        "faults",
        arguments: [
            ("node: \"a b\"", "1:16"), ("location: \"\"", "1:20"), ("capacity: -1", "1:20"), ("capacity: many", "1:20"),
            ("coordinate: perhaps", "1:22"), ("colour: red", "1:10"), ("url: \"a\\nb\"", "1:15"),
        ]
    )
    func faulty(text: String, place: String) {
        let found = diagnostics("fleet: { \(text) }")
        #expect(found.count == 1 && found[0].hasPrefix("reachd.yaml:\(place): "), "\(found)")
    }

    @Test("a synonym is answered with the key's name")
    func synonyms() {
        let found = diagnostics("fleet: { dsn: x, site: y }")
        #expect(found.contains { $0.contains("database") }, "\(found)")
        #expect(found.contains { $0.contains("location") }, "\(found)")
    }
}
