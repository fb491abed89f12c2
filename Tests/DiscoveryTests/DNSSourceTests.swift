// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Discovery
import Glibc
import LinuxIO
import Schema
import TestSupport
import Testing

@Suite("Records of DNS as targets", .timeLimit(.minutes(15)))
struct DNSSourceTests {
    private let folder: TemporaryFolder
    private let server: NameServer

    init() throws {
        folder = try TemporaryFolder()
        server = try NameServer(port: 0)
    }

    private func settings(_ names: String...) throws -> DNSSourceSettings {
        var settings = DNSSourceSettings(names: names)
        settings.files = ResolverConfigurationFiles(
            resolvConf: try folder.write("nameserver 127.0.0.1\nsearch .\n", to: "resolv.conf"),
            hosts: try folder.write("", to: "hosts"),
            nameServiceSwitch: try folder.write("hosts: files dns\n", to: "nsswitch.conf")
        )
        settings.limits = ResolverLimits(timeout: 300, tries: 1, port: server.port)
        return settings
    }

    @Test("SRV records are hosts with ports; one with an empty name is no server")
    func services() async throws {
        server.set("_http._tcp.a.test", .services([(8_080, "b.test"), (80, "c.test"), (80, "")]))
        let reports = Recorder<SourceReport>()
        let source = DNSSource(try settings("_http._tcp.a.test"))
        source.start { reports.record($0) }
        defer { source.stop() }
        let report = try await reports.next()
        #expect(report.items?.map(\.address) == ["b.test:8080", "c.test:80"])
        #expect(report.error == nil)
        #expect(report.items?.first?.place == .source("SRV records of _http._tcp.a.test"))
    }

    @Test("addresses of one family get the port")
    func addresses() async throws {
        server.set("a.test", .addresses(["192.0.2.1", "192.0.2.2", "2001:db8::1"]))
        for (type, expected) in [
            (DNSSourceSettings.RecordType.a, ["192.0.2.1:53", "192.0.2.2:53"]), (.aaaa, ["[2001:db8::1]:53"]),
        ] {
            var settings = try settings("a.test")
            (settings.type, settings.port) = (type, 53)
            let reports = Recorder<SourceReport>()
            let source = DNSSource(settings)
            source.start { reports.record($0) }
            #expect(try await reports.next().items?.map(\.address) == expected)
            source.stop()
        }
    }

    @Test("a failure keeps the records of its name, and a name without records has no targets")
    func failures() async throws {
        server.set("a.test", .services([(1, "x.test")], ttl: 5))
        server.set("b.test", .services([(2, "y.test")], ttl: 5))
        let reports = Recorder<SourceReport>()
        var settings = try settings("a.test", "b.test")
        settings.refresh = .milliseconds(10)
        let source = DNSSource(settings)
        source.start { reports.record($0) }
        defer { source.stop() }
        #expect(try await reports.next().items?.map(\.address) == ["x.test:1", "y.test:2"])

        server.set("a.test", .failure)
        server.set("b.test", .noSuchName)
        let failed = try await reports.next { $0.error != nil && $0.items?.count == 1 }
        #expect(failed.items?.map(\.address) == ["x.test:1"])
        #expect(failed.error?.code == .resolution)
        #expect(failed.error?.words.contains("a.test") == true)

        let mark = reports.count
        server.set("a.test", .services([(3, "z.test")]))
        let recovered = try await reports.next(after: mark) { $0.error == nil }
        #expect(recovered.items?.map(\.address) == ["z.test:3"])
    }

    @Test("the records of a real server are found; they remain while it is away, and are its new ones when it is back")
    func realServer() async throws {
        let port = try LoopbackPort.free()
        func serve(_ records: String...) throws -> ChildProcess {
            let process = try ChildProcess(
                [
                    "dnsmasq", "--no-daemon", "--conf-file=/dev/null", "--pid-file=", "--no-resolv", "--no-hosts",
                    "--bind-interfaces", "--listen-address=127.0.0.1", "--port=\(port)", "--user=", "--log-facility=-",
                ] + records
            )
            while let line = process.readLine(), !line.contains("started, version") {}
            return process
        }
        let first = try serve(
            "--srv-host=_http._tcp.a.test,one.a.test,8080,1,5",
            "--srv-host=_http._tcp.a.test,two.a.test,8081,2,5"
        )
        defer { first.kill(SIGKILL) }
        var settings = try settings("_http._tcp.a.test")
        settings.limits.port = port
        settings.refresh = .milliseconds(10)
        let reports = Recorder<SourceReport>()
        let source = DNSSource(settings)
        source.start { reports.record($0) }
        defer { source.stop() }
        let found = try await reports.next { $0.error == nil }
        #expect(found.items?.map(\.address).sorted() == ["one.a.test:8080", "two.a.test:8081"])

        first.kill(SIGKILL)
        _ = first.wait()
        let lost = try await reports.next { $0.error != nil }
        #expect(lost.error?.code == .resolution && lost.items?.count == 2)

        let mark = reports.count
        let second = try serve("--srv-host=_http._tcp.a.test,three.a.test,80,1,5")
        defer { second.kill(SIGKILL) }
        let back = try await reports.next(after: mark) { $0.error == nil }
        #expect(back.items?.map(\.address) == ["three.a.test:80"])
    }

    @Test("before the first answer nothing is known")
    func unknown() async throws {
        server.set("a.test", .failure)
        let reports = Recorder<SourceReport>()
        let source = DNSSource(try settings("a.test"))
        source.start { reports.record($0) }
        defer { source.stop() }
        let report = try await reports.next()
        #expect(report.items == nil)
        #expect(report.error?.code == .resolution)
    }

    @Test("the next look-up is at refresh, sooner for records that may be kept for less long, and not within 5 s")
    func pauses() {
        #expect(DNSSource.pause(refresh: .seconds(60), timeToLive: 300) == .seconds(60))
        #expect(DNSSource.pause(refresh: .seconds(60), timeToLive: 20) == .seconds(20))
        #expect(DNSSource.pause(refresh: .seconds(60), timeToLive: 0) == .seconds(5))
        #expect(DNSSource.pause(refresh: .seconds(2), timeToLive: 0) == .seconds(2))
    }
}
