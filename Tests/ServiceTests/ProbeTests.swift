// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import TestSupport
import Testing

@Suite struct ProbeTests {
    private func post(_ path: String, _ service: RunningService) throws -> HTTPReply {
        try HTTPClient.request("POST", path, port: service.port)
    }

    @Test("a probe on demand is answered with its result, before its turn would have come")
    func onDemand() throws {
        let peer = try SilentServer()
        let service = try RunningService(
            """
            targets:
              - {id: open, address: 127.0.0.1, port: \(peer.port), probe: {type: tcp, interval: 1h}}
              - {id: closed, address: 127.0.0.1, port: 1, probe: {type: tcp, interval: 1h, fall: 1}}
              - {id: plain, address: 127.0.0.1}
            probing: {start_spread: 10m}
            """
        )
        let open = try post("/targets/open/probe", service)
        #expect(open.status == 200)
        #expect(open.text.contains(#""state":"up","#))
        #expect(open.text.contains(#""outcome":"success","detail":"connected""#))
        let closed = try post("/api/v1/targets/closed/probe", service)
        #expect(closed.status == 200)
        #expect(closed.text.contains(#""reason":{"code":"connect_refused""#))
        #expect(closed.text.contains(#""cause":"target""#))
        #expect(try service.get("/targets/open/health").status == 200)
        #expect(try service.get("/targets/closed/health").status == 503)
        #expect(try service.get("/status?fail_on=down").status == 503)
        #expect(try post("/targets/plain/probe", service).status == 409)
    }

    @Test("one service probes another by http, and uses its response")
    func http() throws {
        let peer = try RunningService("targets: [{address: 127.0.0.1}]")
        let service = try RunningService(
            """
            targets:
              - id: well
                probe:
                  type: http
                  interval: 1h
                  url: http://127.0.0.1:\(peer.port)/livez?unknown=
                  expect: { status: "400", headers: [ { name: content-type, matches: problem } ] }
              - id: ill
                probe:
                  type: http
                  interval: 1h
                  fall: 1
                  url: http://127.0.0.1:\(peer.port)/version
                  expect: { json: [ { path: $$.name, value: somebody } ] }
            """
        )
        let well = try post("/targets/well/probe", service)
        #expect(well.text.contains(#""state":"up","#), "\(well.text)")
        #expect(well.text.contains(#""http":{"status":400,"version":"1.1","#))
        #expect(!well.text.contains("unknown="))
        let ill = try post("/targets/ill/probe", service)
        #expect(ill.text.contains(#""reason":{"code":"unexpected_json""#), "\(ill.text)")
        #expect(try service.get("/targets/ill/health").status == 503)
    }

    @Test("results, pauses and heartbeats show in the stream")
    func stream() throws {
        let service = try RunningService(
            """
            targets:
              - {id: job, address: 127.0.0.1, probe: {type: push, interval: 1h, fall: 1, rise: 1}}
              - {id: me, address: 127.0.0.1, port: 1, probe: {type: tcp, interval: 1h, expect: {reachable: false}}}
            """
        )
        while try service.get("/readyz").status != 200 {}
        let stream = try SSEClient("/events?event=state&include=result&target=job", port: service.port)
        #expect(try stream.next()?.event == "hello")
        #expect(try post("/targets/job/heartbeat?detail=42+files", service).status == 204)
        #expect(try stream.next()?.data.contains(#""to":"up""#) == true)
        #expect(try stream.next()?.data.contains(#""detail":"42 files""#) == true)
        #expect(try post("/targets/job/heartbeat?status=fail&detail=disk%20full", service).status == 204)
        #expect(try stream.next()?.data.contains(#""to":"down","reason":{"code":"heartbeat_failed""#) == true)
        #expect(try stream.next()?.event == "result")
        #expect(try post("/targets/job/pause", service).text.contains(#""state":"paused""#))
        #expect(try stream.next()?.data.contains(#""to":"paused""#) == true)
        #expect(try post("/targets/job/resume", service).status == 200)
        #expect(try stream.next()?.event == "state")
        // A port that must be closed, and is.
        #expect(try post("/targets/me/probe", service).text.contains(#""state":"up","#))
    }

    @Test("a heartbeat is evaluated before its response, also of a paused target")
    func judgedHeartbeats() throws {
        let service = try RunningService(
            """
            targets: [{id: job, address: 127.0.0.1, probe: {type: push, interval: 1h, fall: 1, rise: 1}}]
            limits: {writes_per_second: 10000}
            """
        )
        while try service.get("/readyz").status != 200 {}
        for (status, state) in Array(repeating: [("ok", "up"), ("fail", "down")], count: 20).flatMap({ $0 }) {
            #expect(try post("/targets/job/heartbeat?status=" + status, service).status == 204)
            #expect(try service.get("/targets/job").text.contains(#""state":"\#(state)","#))
        }
        #expect(try post("/targets/job/pause", service).status == 200)
        #expect(try post("/targets/job/heartbeat", service).status == 204)
        #expect(try service.get("/targets/job").text.contains(#""state":"paused","#))
    }

    @Test("a client that waits for a probe does not keep the service from ending")
    func endsWhileProbing() throws {
        let peer = try SilentServer()
        let service = try RunningService(
            """
            targets:
              - id: silent
                address: 127.0.0.1
                port: \(peer.port)
                probe: {type: tcp, interval: 1h, timeout: 10m, dialogue: [{expect: never}]}
            """
        )
        let stream = try SSEClient("/events?event=activity", port: service.port)
        #expect(try stream.next()?.event == "hello")
        let client = try HTTPConnection(port: service.port)
        try client.send("POST /targets/silent/probe HTTP/1.1\r\nHost: localhost\r\n\r\n")
        // It is under way: the indicator comes on.
        #expect(try stream.next { $0.data.contains(#""state":"active""#) } != nil)
        service.process.kill(SIGTERM)
        #expect(service.process.wait() == 0)
    }

    @Test("a new configuration leaves the results of unchanged probes alone")
    func reload() throws {
        let peer = try SilentServer()
        func text(fall: Int) -> String {
            """
            targets:
              - {id: stays, address: 127.0.0.1, port: \(peer.port), probe: {type: tcp, interval: 1h}}
              - {id: changes, address: 127.0.0.1, port: \(peer.port), probe: {type: tcp, interval: 1h, fall: \(fall)}}
            probing: {start_spread: 0s}
            """
        }
        let service = try RunningService(text(fall: 1))
        for id in ["stays", "changes"] { #expect(try post("/targets/\(id)/probe", service).status == 200) }
        let before = try service.get("/targets/stays").text
        let stream = try SSEClient("/events?event=config", port: service.port)
        #expect(try stream.next()?.event == "hello")
        try service.reload(text(fall: 7))
        #expect(try stream.next()?.data.contains(#""updated":1"#) == true)
        #expect(try service.get("/targets/stays").text == before)
        let changed = try service.get("/targets/changes").text
        #expect(changed.contains(#""fall":7"#))
        #expect(changed.contains(#""state":"up","#))
    }
}
