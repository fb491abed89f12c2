// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import PostgreSQL

@Suite struct SettingsTests {
    private func parse(_ uri: String, _ environment: [String: String] = [:]) throws(DatabaseError) -> DatabaseSettings {
        try DatabaseSettings(uri: uri, passwordFile: nil) { environment[$0] }
    }

    @Test("Hosts, ports, role, database and session requirement come from the URI")
    func parts() throws {
        let settings = try parse("postgresql://me@db-1,db-2:5433,[2001:db8::1]/events?target_session_attrs=read-write")
        #expect(
            settings.hosts == [
                DatabaseHost(name: "db-1", address: nil, port: 5432),
                DatabaseHost(name: "db-2", address: nil, port: 5433),
                DatabaseHost(name: "2001:db8::1", address: nil, port: 5432),
            ]
        )
        #expect(settings.user == "me")
        #expect(settings.database == "events")
        #expect(settings.session == .readWrite)
        #expect(try parse("postgresql://me@db").database == "me")
        #expect(try parse("postgres://me%40home@db").user == "me@home")
    }

    @Test("hostaddr replaces the resolution of a name, and a folder is a Unix socket")
    func addresses() throws {
        let host = try parse("postgresql://me@db/x?hostaddr=192.0.2.1&port=6000").hosts[0]
        #expect(host == DatabaseHost(name: "db", address: "192.0.2.1", port: 6000))
        #expect(try parse("postgresql:///x?user=me&host=/run/db").hosts[0].isSocket)
        #expect(try parse("postgresql:///x?user=me").hosts[0].name == "/var/run/postgresql")
        #expect(try parse("postgresql://me@%2Frun%2Fdb/x").hosts[0].isSocket)
    }

    @Test("Without sslmode the certificate is verified with the system's bundle; an explicit sslmode wins")
    func tls() throws {
        func parameters(_ uri: String) throws -> [String: String] {
            let settings = try parse(uri)
            return settings.parameters(for: settings.hosts[0], address: "192.0.2.1")
        }
        let standard = try parameters("postgresql://me@db/x")
        #expect(standard["sslmode"] == "verify-full")
        #expect(standard["sslrootcert"] == "/etc/ssl/certs/ca-certificates.crt")
        #expect(try parameters("postgresql://me@db/x?sslrootcert=system")["sslrootcert"] == standard["sslrootcert"])
        #expect(try parameters("postgresql://me@db/x?sslrootcert=/ca.pem")["sslrootcert"] == "/ca.pem")
        let explicit = try parameters("postgresql://me@db/x?sslmode=require")
        #expect(explicit["sslmode"] == "require")
        // Without the file in the home folder, which would turn require into verify-ca.
        #expect(explicit["sslrootcert"] == "/nonexistent/reachd")
        #expect(try parameters("postgresql:///x?user=me&host=/run/db")["sslmode"] == "disable")
    }

    @Test("Parameters that the environment or the home folder could set are always explicit")
    func explicitParameters() throws {
        let settings = try parse("postgresql://me@db/x?application_name=probe")
        let all = settings.parameters(for: settings.hosts[0], address: "192.0.2.1")
        #expect(all["application_name"] == "probe")
        #expect(all["gssencmode"] == "disable")
        #expect(all["client_encoding"] == "UTF8")
        #expect(all["target_session_attrs"] == "any")
        for name in ["passfile", "sslcert", "sslkey", "sslcrl", "sslcrldir"] {
            #expect(all[name] == "/nonexistent/reachd")
        }
        #expect(all.values.allSatisfy { !$0.isEmpty })
    }

    @Test(
        "A password in the URI is an error that does not quote it",
        arguments: [
            "postgresql://me:s3cret@db/x", "postgresql://me@db/x?password=s3cret", "postgresql://me:s3%zzcret@db/x",
            "postgresql://me:a?s3cret=1@db/x", "postgresql://me:a/s3cret?=@db/x",
            "postgresql://me@db/x?passwort=1&password=s3cret&a",
            "host=db password=s3cret", "postgresql://me:[s3cret@db/x", "postgresql://me:s3cret%zz@db/x",
            "postgresql://me:a?s3cret@db/x", "postgresql://me@db/x?options=%s3cret",
        ]
    )
    func passwords(uri: String) throws {
        let error = try #require(throws: DatabaseError.self) { try parse(uri) }
        #expect(error.reason == .invalidSettings)
        #expect(!error.message.contains("s3cret"), "\(error)")
    }

    @Test(
        "Invalid settings are errors that name the value's place",
        arguments: [
            ("mysql://me@db/x", "postgresql://"), ("postgresql://me@db/x?colour=red", "colour"),
            ("postgresql://me@db/x?service=a", "service"), ("postgresql://me@db/x?passfile=a", "password_file"),
            ("postgresql://db/x", "user"), ("postgresql://me@db/x?sslmode=on", "sslmode"),
            ("postgresql://me@db/x?target_session_attrs=fast", "prefer-standby"),
            ("postgresql://me@db/x?connect_timeout=0", "connect_timeout"), ("postgresql://me@db:70000/x", "port"),
            ("postgresql://me@db/x?hostaddr=db", "hostaddr"), ("postgresql://me@a,b/x?hostaddr=192.0.2.1", "numbers"),
            ("postgresql://me@a/x?gssencmode=prefer", "gssencmode"), ("postgresql://me@a/\0", "zero byte"),
            ("postgresql://me@" + String(repeating: "a,", count: 20) + "a/x", "hosts"),
            ("postgresql://me@a/" + String(repeating: "x", count: 9_000), "longer"),
        ]
    )
    func invalid(uri: String, named: String) throws {
        let error = try #require(throws: DatabaseError.self) { try parse(uri) }
        #expect(error.reason == .invalidSettings)
        #expect(error.message.contains(named), "\(error)")
    }

    @Test("Variables that libpq would add parameters from are rejected")
    func environment() throws {
        for name in ["PGSERVICE", "PGOPTIONS", "PGPASSWORD"] {
            let error = try #require(throws: DatabaseError.self) { try parse("postgresql://me@db/x", [name: "a"]) }
            #expect(error.message.contains(name))
        }
        _ = try parse("postgresql://me@db/x", ["PGHOST": "other", "PGSERVICE": ""])
    }

    @Test("connect_timeout sets the deadline of an attempt")
    func timeout() throws {
        #expect(try parse("postgresql://me@db/x").attemptTimeout == .seconds(2))
        #expect(try parse("postgresql://me@db/x?connect_timeout=7").attemptTimeout == .seconds(7))
    }

    @Test("Random URIs neither trap nor pass with a password")
    func randomURIs() {
        var generator = SeededGenerator(seed: 11)
        let pieces = [
            "postgresql://", "me", ":", "@", "db", ",", "/", "?", "=", "&", "%", "%41", "[", "]", "host", "port", "é",
            "1",
        ]
        for _ in 0..<5_000 {
            var uri = "postgresql://"
            for _ in 0..<Int.random(in: 0..<12, using: &generator) {
                uri += pieces.randomElement(using: &generator) ?? ""
            }
            guard let settings = try? parse(uri) else { continue }
            #expect(settings.parameters["password"] == nil)
            #expect(!settings.user.isEmpty)
        }
    }

    @Test("The password file is read without one line end, and its faults are errors without its content")
    func passwordFile() throws {
        let folder = try TemporaryFolder()
        #expect(try PasswordFile.read(folder.write("a b \n", to: "1")) == "a b ")
        #expect(try PasswordFile.read(folder.write("a\r\n", to: "2")) == "a")
        #expect(try PasswordFile.read(folder.write("a\n\n", to: "3")) == "a\n")
        #expect(
            try PasswordFile.read(folder.write(String(repeating: "p", count: 1_000) + "\n", to: "4")).utf8.count
                == 1_000
        )
        for (name, content) in [
            ("empty", ""), ("line", "\n"), ("zero", "s3c\0ret"), ("large", String(repeating: "s3cret", count: 200)),
        ] {
            let path = try folder.write(content, to: name)
            let error = try #require(throws: DatabaseError.self) { try PasswordFile.read(path) }
            #expect(error.reason == .passwordFile)
            #expect(error.message.contains(path) && !error.message.contains("s3c"))
        }
        let error = try #require(throws: DatabaseError.self) { try PasswordFile.read(folder.path(of: "absent")) }
        #expect(error.reason == .passwordFile)
    }
}
