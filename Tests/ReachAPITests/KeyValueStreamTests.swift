// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import MonitoringTestSupport
import NetworkPaths
import Testing

@testable import ReachAPI

@Suite("Key-value observing over HTTP")
struct KeyValueStreamTests {
    let fixture = Fixture()

    init() {
        fixture.registry.apply(targets: [.address("web")])
        fixture.emit("web", .up())
    }

    /// `key kind prior? old→new`, `-` for what is absent.
    private func summary(_ event: ServerSentEvent) -> String {
        func text(_ name: String) -> String {
            guard let value = event.data?[name] else { return "-" }
            return switch value {
            case .string(let text): text
            case .boolean(let value): "\(value)"
            case .null: "null"
            default: "{}"
            }
        }
        return "\(text("key")) \(text("is_prior") == "true" ? "prior " : "")\(text("old"))→\(text("new"))"
    }

    private func changes(_ query: String, _ body: () -> Void) throws -> [String] {
        let stream = try fixture.stream("?target=web&event=change&" + query)
        // The first values belong to the registration.
        let first = try stream.drain().dropFirst().map(summary)
        body()
        return try first + stream.drain().map(summary)
    }

    @Test(
        "K1–K5: the options, each and together",
        arguments: [
            ("", ["status -→reachable_via_wwan"]), ("&options=", ["status -→-"]),
            ("&options=new", ["status -→reachable_via_wwan"]), ("&options=old", ["status reachable_via_wifi→-"]),
            ("&options=new,old", ["status reachable_via_wifi→reachable_via_wwan"]),
            ("&options=initial", ["status -→-", "status -→-"]),
            ("&options=initial,old", ["status -→-", "status reachable_via_wifi→-"]),
            ("&options=initial,new", ["status -→reachable_via_wifi", "status -→reachable_via_wwan"]),
            ("&options=prior", ["status prior -→-", "status -→-"]),
            ("&options=prior,new", ["status prior -→-", "status -→reachable_via_wwan"]),
            ("&options=prior,old", ["status prior reachable_via_wifi→-", "status reachable_via_wifi→-"]),
            (
                "&options=new,old,initial,prior",
                [
                    "status -→reachable_via_wifi", "status prior reachable_via_wifi→-",
                    "status reachable_via_wifi→reachable_via_wwan",
                ]
            ),
        ] as [(String, [String])]
    )
    func options(query: String, wanted: [String]) throws {
        #expect(try changes("key=status" + query) { fixture.emit("web", .cellular) } == wanted)
    }

    @Test("K10: dependent keys fire on every delivery, changed or not, all priors first, in the order asked for")
    func dependents() throws {
        let seen = try changes("key=reachable&key=status&key=reachable_via_wwan&options=new,old,prior") {
            fixture.emit("web", .cellular)
        }
        #expect(
            seen == [
                "reachable prior true→-", "status prior reachable_via_wifi→-", "reachable_via_wwan prior false→-",
                "reachable true→true", "status reachable_via_wifi→reachable_via_wwan",
                "reachable_via_wwan false→true",
            ]
        )
    }

    @Test("K7, K10: a delivery of the same status fires everything; distinct leaves it out")
    func sameStatus() throws {
        var moved = NetworkPath.up(generation: 1)
        moved.interface?.index = 9
        let query = "key=status&key=reachable&key=reachable_via_wifi&key=flags&options=new,old"
        let seen = try changes(query) { fixture.emit("web", moved) }
        #expect(seen.count == 4)
        #expect(seen[0] == "status reachable_via_wifi→reachable_via_wifi")
        let distinct = try changes(query + "&distinct=true") { fixture.emit("web", .up()) }
        #expect(distinct.isEmpty)
        #expect(try changes(query + "&distinct=true") { fixture.emit("web", .cellular) }.count == 3)
    }

    @Test("K13: initial values before the first verdict are unknown, false and null")
    func unknown() throws {
        fixture.registry.apply(targets: [.address("web", "198.51.100.77")])
        let keys = ObservedKey.allCases.map { "key=\($0.rawValue)" }.joined(separator: "&")
        let seen = try changes(keys + "&options=initial,new") {}
        #expect(
            seen == [
                "status -→unknown", "reachable -→false", "reachable_via_wwan -→false", "reachable_via_wifi -→false",
                "flags -→null", "path -→null", "resolution -→null", "state -→unknown",
            ]
        )
    }

    @Test("path and resolution fire once for each delivery and for each change without a delivery")
    func pathKeys() throws {
        let quiet = try changes("key=path&key=status&key=resolution&options=new,old") {
            fixture.emit("web", .up(gateway: "192.0.2.9", generation: 2))
        }
        #expect(quiet == ["path {}→{}", "resolution {}→{}"])
        let loud = try changes("key=path&options=new") { fixture.emit("web", .down()) }
        #expect(loud == ["path -→{}"])
    }

    @Test("state fires when the state changes; the network has none")
    func state() throws {
        let seen = try changes("key=state&options=new,old") {
            fixture.emit("web", .cellular)
            fixture.emit("web", .down())
        }
        #expect(seen == ["state up→unreachable"])
        let all = try fixture.stream("?event=change&key=state&key=status&options=initial,new").drain().dropFirst()
        #expect(all.map { $0.data?["target"]?.string ?? "network" } == ["network", "web", "web"])
    }

    @Test("R17: changes precede their delivery, and only the delivery has the id; without it the last change has it")
    func order() throws {
        let with = try fixture.stream("?key=status&key=reachable&options=prior,new")
        let without = try fixture.stream("?event=change&key=status&key=reachable&options=prior,new")
        _ = try with.drain()
        _ = try without.drain()
        fixture.emit("web", .cellular)
        let head = fixture.registry.sequence
        let loud = try with.drain()
        #expect(loud.map(\.type) == ["change", "change", "change", "change", "reachability", "path"])
        #expect(loud.map(\.id) == [nil, nil, nil, nil, fixture.id(head - 1), fixture.id(head)])
        let quiet = try without.drain()
        #expect(quiet.map(\.type) == ["change", "change", "change", "change"])
        #expect(quiet.map(\.id) == [nil, nil, nil, fixture.id(head - 1)])
    }

    @Test("Without key no changes are sent; the kind is setting")
    func onlyWhenAsked() throws {
        let stream = try fixture.stream()
        let asked = try fixture.stream("?key=status")
        fixture.emit("web", .cellular)
        #expect(try !stream.drain().contains { $0.type == "change" })
        let change = try asked.drain().first { $0.type == "change" }
        #expect(change?.data?["kind"] == .string("setting"))
        #expect(change?.data?["at"] == .string("2026-11-18T11:06:40.123Z"))
    }

    @Test("Initial values of many targets are sent in pages; only the last has the id")
    func manyInitial() throws {
        fixture.registry.apply(targets: (0..<250).map { .address("t\($0)") })
        let stream = try fixture.stream("?event=change&key=status&options=initial,new")
        let events = try stream.drain().dropFirst()
        #expect(events.count == 251)
        #expect(events.compactMap(\.id) == [fixture.id(fixture.registry.sequence)])
        #expect(events.last?.id != nil)
    }
}
