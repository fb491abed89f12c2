// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import MonitoringTestSupport
import NetworkPaths
import Testing

@testable import ReachAPI

@Suite("Lists of targets")
struct TargetListTests {
    let fixture = Fixture()

    private func ids(_ target: String) throws -> [String] {
        try fixture.json(target)["targets"]?.array?.compactMap { $0["id"]?.string } ?? []
    }

    private func declare() {
        fixture.registry.apply(targets: [
            .address("web-1", "198.51.100.1", group: "web", tags: ["env": "prod", "tier": "1"]),
            .address("web-2", "198.51.100.2", group: "web", tags: ["env": "test"]),
            .address("db", "203.0.113.5", group: "data", tags: ["env": "prod"]),
            .address("lone", "203.0.113.6"),
        ])
        fixture.emit("web-1", .up())
        fixture.emit("web-2", .cellular)
        fixture.emit("db", .down())
    }

    @Test(
        "Filters",
        arguments: [
            ("", ["web-1", "web-2", "db", "lone"]), ("state=up", ["web-1", "web-2"]),
            ("state=unreachable&state=unknown", ["db", "lone"]), ("status=reachable_via_wwan", ["web-2"]),
            ("status=unknown", ["lone"]), ("tag=env:prod", ["web-1", "db"]), ("tag=env:prod&tag=tier:1", ["web-1"]),
            ("tag=env:", []), ("group=web", ["web-1", "web-2"]), ("group=web&group=data", ["web-1", "web-2", "db"]),
            ("q=WEB", ["web-1", "web-2"]), ("q=203.0", ["db", "lone"]), ("q=%20", []),
            ("q=", ["web-1", "web-2", "db", "lone"]),
            ("state=up&tag=env:test", ["web-2"]), ("state=paused", []), ("limit=2", ["web-1", "web-2"]),
            ("limit=2&group=data", ["db"]), ("q=b", ["web-1", "web-2", "db"]),
        ] as [(String, [String])]
    )
    func filters(query: String, wanted: [String]) throws {
        declare()
        #expect(try ids("/targets?" + query) == wanted)
    }

    @Test("The envelope has the number of matches and the position")
    func envelope() throws {
        declare()
        let list = try fixture.json("/targets?group=web&limit=1")
        #expect(list["total"] == .number(2))
        #expect(list["sequence"] == .number(Double(fixture.registry.sequence)))
        #expect(list["generated_at"] == .string("2026-11-18T11:06:40.123Z"))
        #expect(list["next"]?.string != nil)
        let rest = try fixture.json("/targets?group=web&limit=1&cursor=\(list["next"]?.string ?? "")")
        #expect(rest["total"] == .number(2))
        #expect(rest["next"] == nil)
        #expect(fixture.respond("/targets").header("ETag") == #"W/"abcd-\#(fixture.registry.sequence)""#)
    }

    @Test("An element of the list is the target's own body; what Apple's interfaces say is there on request")
    func elements() throws {
        declare()
        let own = try fixture.json("/targets/web-1")
        let listed = try fixture.json("/targets")["targets"]?.array?.first
        #expect(Set(own.keys).subtracting(listed?.keys ?? []) == ["system_configuration"])
        let all = TargetField.allCases.map(\.rawValue).joined(separator: ",")
        #expect(try fixture.json("/targets?fields=\(all)")["targets"]?.array?.first == own)
    }

    @Test("fields selects members; the id is always included")
    func fields() throws {
        declare()
        let some = try fixture.json("/targets?fields=state,path,tags")["targets"]?.array?.first
        #expect(some?.keys == ["id", "state", "path", "tags"])
        #expect(try fixture.json("/targets?fields=")["targets"]?.array?.first?.keys == ["id"])
    }

    @Test("Each member can be selected alone", arguments: TargetField.allCases)
    func field(_ field: TargetField) throws {
        declare()
        let whole: JSONValue? = try fixture.json("/targets/web-1")
        let part = try fixture.json("/targets?fields=\(field.rawValue)")["targets"]?.array?.first
        let isThere = whole?[field.rawValue] != nil
        #expect(part?[field.rawValue] == whole?[field.rawValue])
        #expect(Set(part?.keys ?? []) == Set(isThere ? ["id", field.rawValue] : ["id"]))
    }

    @Test("Pages neither repeat nor omit targets while others are added and removed", arguments: ["", "&group=g"])
    func paging(filter: String) throws {
        func list(_ numbers: some Sequence<Int>) -> [TargetSettings] {
            numbers.map { .address("t\($0)", group: "g") }
        }
        fixture.registry.apply(targets: list(0..<1300))
        var seen: [String] = []
        var cursor = ""
        var round = 0
        repeat {
            let page = try fixture.json("/targets?limit=170\(filter)\(cursor)")
            seen += page["targets"]?.array?.compactMap { $0["id"]?.string } ?? []
            cursor = page["next"]?.string.map { "&cursor=" + $0 } ?? ""
            round += 1
            fixture.registry.apply(targets: list(round * 60..<1300) + list(2000..<2000 + round))
        } while !cursor.isEmpty
        #expect(Set(seen).count == seen.count)
        #expect(Array(seen.prefix(1300)) == (0..<1300).map { "t\($0)" })
        #expect(seen.contains("t2000"))
    }

    @Test("An empty registry lists nothing")
    func empty() {
        #expect(
            fixture.respond("/targets").text
                == #"{"targets":[],"total":0,"sequence":0,"generated_at":"2026-11-18T11:06:40.123Z"}"#
        )
    }
}
