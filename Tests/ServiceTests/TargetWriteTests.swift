// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import TestSupport
import Testing

@Suite("Targets over HTTP, and from files") struct TargetWriteTests {
    private let state: TemporaryFolder

    init() throws { state = try TemporaryFolder() }

    private var stateFile: String { state.path(of: "targets.json") }

    private static let json = ["Content-Type": "application/json"]

    private static func send(
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        to port: UInt16
    ) throws -> HTTPReply {
        try HTTPClient.request(method, path, port: port, headers: body == nil ? [:] : json, body: body)
    }

    private func contents() throws -> String {
        try Command.run(["cat", stateFile])
    }

    @Test("targets are added, changed and removed, kept over a restart, and reported by events")
    func wholeLife() throws {
        let text = "targets: [{id: own, address: 127.0.0.1}]\nstate_file: \(stateFile)"
        let service = try RunningService(text)
        let stream = try SSEClient("/events?event=target", port: service.port)
        #expect(try stream.next()?.event == "hello")
        let post = try Self.send("POST", "/targets", #"{"id":"a","address":"127.0.0.2"}"#, to: service.port)
        #expect(post.status == 201)
        #expect(post["Location"] == "/targets/a")
        #expect(post.text.contains("\"persisted\":true"))
        #expect(try stream.next { $0.data.contains("\"id\":\"a\"") }?.data.contains("\"action\":\"added\"") == true)
        #expect(try Self.send("PATCH", "/targets/a", #"{"group":"g"}"#, to: service.port).status == 200)
        #expect(try stream.next { $0.data.contains("\"id\":\"a\"") }?.data.contains("\"action\":\"updated\"") == true)
        #expect(try Self.send("PUT", "/api/v1/targets/b", #"{"address":"127.0.0.3"}"#, to: service.port).status == 201)
        let delete = try Self.send("DELETE", "/targets/b", to: service.port)
        #expect(delete.status == 204)
        #expect(delete.body.isEmpty)
        #expect(try Self.send("DELETE", "/targets/own", to: service.port).status == 409)
        #expect(try Self.send("POST", "/targets", "{", to: service.port).status == 400)
        service.process.kill(SIGKILL)
        _ = service.process.wait()
        let again = try RunningService(text)
        let target = try again.get("/targets/a")
        #expect(target.status == 200)
        #expect(target.text.contains("\"group\":\"g\"") && target.text.contains("\"origin\":\"api\""))
        #expect(try again.get("/targets/b").status == 404)
    }

    @Test("access.targets limits the targets of clients, also after a reload; the operator's own targets continue")
    func policy() throws {
        let peer = try SilentServer()
        let probe = "probe: {type: tcp, port: \(peer.port)}"
        let text = "targets: [{id: own, address: 127.0.0.1, \(probe)}]\nstate_file: \(stateFile)\n"
        let service = try RunningService(text)
        let body = #"{"id":"a","address":"127.0.0.1","probe":{"type":"tcp","port":\#(peer.port)}}"#
        #expect(try Self.send("POST", "/targets", body, to: service.port).status == 201)
        #expect(try Self.send("POST", "/targets/a/probe", to: service.port).text.contains(#""success":true"#))
        try service.folder.replace(text + "access: {targets: {loopback: false}}\n", at: "reachd.yaml")
        let reload = try Self.send("POST", "/-/reload", to: service.port)
        #expect(reload.status == 200 && reload.text.contains("access.targets.loopback"))
        let denied = try Self.send("POST", "/targets/a/probe", to: service.port)
        #expect(denied.text.contains(#""code":"target_denied""#), "\(denied.text)")
        #expect(try Self.send("POST", "/targets/own/probe", to: service.port).text.contains(#""success":true"#))
        let refused = try Self.send("POST", "/targets", body.replacing("\"a\"", with: "\"b\""), to: service.port)
        #expect(refused.status == 422 && refused.text.contains(#""pointer":"/address""#))
        // By name it is found out when the name is looked up.
        let named = #"{"id":"c","host":"localhost","probe":{"type":"tcp","port":\#(peer.port)}}"#
        #expect(try Self.send("POST", "/targets", named, to: service.port).status == 201)
        let late = try Self.send("POST", "/targets/c/probe", to: service.port)
        #expect(late.text.contains(#""code":"target_denied""#), "\(late.text)")
        #expect(service.waitForLine { $0.contains("API target a is not probed") } != nil)
        service.process.kill(SIGTERM)
        _ = service.process.wait()
        let again = try RunningService(text + "access: {targets: {loopback: false}}\n")
        #expect(again.log.contains { $0.contains("API target a is not probed") }, "\(again.log)")
        let still = try Self.send("POST", "/targets/a/probe", to: again.port)
        #expect(still.text.contains(#""code":"target_denied""#), "\(still.text)")
    }

    @Test("a body that is too large gets 413, and nothing changes")
    func tooLarge() throws {
        let service = try RunningService("limits: {body_size: 1KiB}\nauto_targets: false")
        let body = #"{"targets":[\#(String(repeating: "{\"host\":\"a\"},", count: 200)){"host":"a"}]}"#
        #expect(try Self.send("POST", "/targets", body, to: service.port).status == 413)
        #expect(try service.get("/targets").text.contains("\"total\":0"))
    }

    @Test("POST /-/reload reports the changes, or every error, and equals SIGHUP")
    func reload() throws {
        let service = try RunningService("targets: [{id: stays, address: 127.0.0.1}, {id: goes, address: 127.0.0.2}]")
        #expect(try Self.send("PUT", "/targets/mine", #"{"address":"127.0.0.9"}"#, to: service.port).status == 201)
        let stream = try SSEClient("/events?event=config", port: service.port)
        #expect(try stream.next()?.event == "hello")
        let text = """
            targets: [{id: stays, address: 127.0.0.1}, {id: mine, address: 127.0.0.3}, {id: comes, address: 127.0.0.4}]
            limits: {body_size: 1KiB}
            """
        try service.folder.replace(text, at: "reachd.yaml")
        let reply = try Self.send("POST", "/-/reload", to: service.port)
        #expect(reply.status == 200)
        for part in [
            #""added":1,"updated":1,"removed":1,"unchanged":1"#, #""added":["comes"]"#, #""updated":["mine"]"#,
            #""removed":["goes"]"#, #""superseded":["mine"]"#, #""settings":["limits.body_size"]"#,
            #""awaiting_restart":["limits.body_size"]"#,
        ] {
            #expect(reply.text.contains(part), "\(reply.text)")
        }
        #expect(try stream.next { $0.event == "config" }?.data.contains("\"action\":\"reloaded\"") == true)
        try service.folder.replace("targets: []\nlisen: 1\nmark: x", at: "reachd.yaml")
        let refused = try Self.send("POST", "/-/reload", to: service.port)
        #expect(refused.status == 422)
        #expect(
            refused.text.contains(#"{"pointer":"/lisen","line":2,"column":1,"code":"unknown_key","detail":"'lisen'"#)
        )
        #expect(refused.text.contains(#"{"pointer":"/mark","line":3,"column":7,"#))
        #expect(try stream.next { $0.event == "config" }?.data.contains("\"action\":\"rejected\"") == true)
        #expect(try service.get("/targets/comes").status == 200)
        #expect(try service.get("/-/reload").status == 405)
    }

    @Test(
        "files of targets are read when they appear, change and disappear; a faulty one keeps its targets and is reported"
    )
    func discovery() throws {
        let folder = try TemporaryFolder()
        let text = "discovery: {files: '\(folder.path)/sd/*.json', probe: {type: tcp, interval: 1h}}"
        let service = try RunningService(text)
        #expect(service.log.contains { $0.contains("no discovery file matches") })
        let stream = try SSEClient("/events?event=target&event=config", port: service.port)
        #expect(try stream.next()?.event == "hello")
        func next(_ action: String, _ id: String) throws -> Bool {
            let parts = ["\"action\":\"\(action)\"", "\"id\":\"\(id)\""]
            return try stream.next { message in parts.allSatisfy(message.data.contains) } != nil
        }
        try folder.replace(#"[{"targets":["127.0.0.1:1"],"labels":{"team":"a"}}]"#, at: "sd/a.json")
        #expect(try next("added", "127.0.0.1:1"))
        let target = try service.get("/targets/127.0.0.1:1").text
        #expect(target.contains("\"origin\":\"discovery\"") && target.contains("\"tags\":{\"team\":\"a\"}"))
        try folder.replace(#"[{"targets":["127.0.0.1:1"],"labels":{"team":"b"}}]"#, at: "sd/a.json")
        #expect(try next("updated", "127.0.0.1:1"))
        // In one step: an empty file on the way would be told of, too.
        try folder.replace("[", at: "sd/a.json")
        let rejected = try stream.next { $0.event == "config" }
        #expect(rejected?.data.contains("\"action\":\"rejected\"") == true)
        #expect(rejected?.data.contains("sd/a.json:1:2") == true)
        #expect(try service.get("/targets/127.0.0.1:1").status == 200)
        #expect(try Self.send("DELETE", "/targets/127.0.0.1:1", to: service.port).status == 409)
        try folder.replace(#"[{"targets":["127.0.0.1:2"]}]"#, at: "sd/b.json")
        #expect(try next("added", "127.0.0.1:2"))
        try Command.run(["rm", folder.path(of: "sd/a.json")])
        #expect(try next("removed", "127.0.0.1:1"))
        try service.reload("auto_targets: false")
        #expect(try next("removed", "127.0.0.1:2"))
    }

    @Test("after a kill during a write, acknowledged changes are stored, and the file is intact", arguments: 0..<12)
    func killed(round: Int) throws {
        let text = "auto_targets: false\nstate_file: \(stateFile)"
        let service = try RunningService(text)
        let port = service.port
        let process = service.process
        let body = #"{"address":"127.0.0.1"}"#
        let answered = round * 3
        for number in 0..<answered {
            #expect(try Self.send("PUT", "/targets/t\(number)", body, to: port).status == 201)
        }
        // Nobody waits for the answer to this one: it is somewhere between its arrival and its end.
        let connection = try HTTPConnection(port: port)
        let fields = "Host: localhost\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)"
        try connection.send("PUT /targets/t\(answered) HTTP/1.1\r\n\(fields)\r\n\r\n\(body)")
        for _ in 0..<round * 40 { sched_yield() }
        process.kill(SIGKILL)
        _ = process.wait()
        let again = try RunningService(text)
        #expect(!again.log.contains { $0.contains(" error ") })
        let total = try again.get("/targets?limit=1").text
        // The one that was being written may be there too: nobody heard of it.
        #expect(
            total.contains("\"total\":\(answered),") || total.contains("\"total\":\(answered + 1),"),
            "\(answered): \(total)"
        )
        if answered > 0 { #expect(try contents().hasPrefix("{\"version\":1,\"targets\":[\n{\"id\":\"t0\"")) }
    }
}
