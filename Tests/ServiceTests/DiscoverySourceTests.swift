// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import TestSupport
import Testing

@Suite("Targets from an HTTP server, and the service") struct DiscoverySourceTests {
    private static func list(_ addresses: String...) -> HookServer.Reply {
        let targets = addresses.map { "\"\($0)\"" }.joined(separator: ",")
        return .content("[{\"targets\": [\(targets)], \"labels\": {\"team\": \"web\"}}]", type: "application/json")
    }

    @Test("are found; they remain while the server is away, and over a reload; then the list counts again")
    func whole() throws {
        let first = try HookServer { _, _ in Self.list("127.0.0.1:1", "127.0.0.1:2") }
        let port = first.port
        func text(group: String) -> String {
            """
            auto_targets: false
            discovery: { http: [ { url: "http://127.0.0.1:\(port)/", name: inventory, refresh: 1s, group: \(group) } ] }
            """
        }
        let service = try RunningService(text(group: "a"))
        let stream = try SSEClient("/events?event=target", port: service.port)
        func next(_ action: String, _ id: String) throws -> Bool {
            let parts = ["\"action\":\"\(action)\"", "\"id\":\"\(id)\""]
            return try stream.next { message in parts.allSatisfy(message.data.contains) } != nil
        }
        // Found before the service said where it listens, or after.
        let words = "discovered targets changed"
        #expect(service.log.contains { $0.contains(words) } || service.waitForLine { $0.contains(words) } != nil)
        let target = try service.get("/targets/127.0.0.1:2").text
        for part in [#""source":"inventory""#, #""origin":"discovery""#, #""team":"web""#, #""group":"a""#] {
            #expect(target.contains(part), "\(target)")
        }
        #expect(try service.get("/metrics").text.contains(#"reachd_discovery_up{source="inventory",kind="http"} 1"#))

        first.close()
        #expect(service.waitForLine { $0.contains("a discovery source failed; its 2 targets remain") } != nil)
        #expect(try service.get("/targets/127.0.0.1:2").status == 200)
        // A request in progress is reset, later ones are refused.
        let status = try service.get("/status").text
        #expect(status.contains(#""name":"inventory","kind":"http","targets":2,"last_success":"#))
        #expect(status.contains(#""error":{"code":""#))
        #expect(try service.get("/metrics").text.contains(#"reachd_discovery_up{source="inventory",kind="http"} 0"#))

        try service.reload(text(group: "b"))
        #expect(try next("updated", "127.0.0.1:2"))
        #expect(try service.get("/targets/127.0.0.1:2").text.contains(#""group":"b""#))

        let second = try HookServer(port: port) { _, _ in Self.list("127.0.0.1:2", "127.0.0.1:3") }
        #expect(try next("added", "127.0.0.1:3"))
        #expect(service.waitForLine { $0.contains("a discovery source works again") } != nil)
        #expect(try service.get("/targets/127.0.0.1:1").status == 404)
        let refused = try HTTPClient.request("DELETE", "/targets/127.0.0.1:2", port: service.port)
        #expect(refused.status == 409)
        #expect(refused.text.contains("inventory"))
        second.close()
    }
}
