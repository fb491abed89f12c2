// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

import struct HTTPServer.HTTPHeader

@testable import Configuration
@testable import Monitoring
@testable import ReachAPI

@Suite("Changes of targets")
struct TargetWriteTests {
    let fixture = Fixture()

    @Test("POST adds a target: 201, Location, the body, an event and a path request")
    func post() throws {
        let response = fixture.send("POST", "/targets", #"{"id":"web","address":"192.0.2.1","tags":{"a":"b"}}"#)
        #expect(response.status == 201)
        #expect(response.header("Location") == "/targets/web")
        #expect(response.header("X-Content-Type-Options") == "nosniff")
        let body = try JSONValue(parsing: response.bytes)
        #expect(body["id"] == .string("web"))
        #expect(body["origin"] == .string("api"))
        #expect(body["persisted"] == .boolean(false))
        #expect(body[["tags", "a"]] == .string("b"))
        #expect(try fixture.json("/targets/web") == body)
        #expect(fixture.declarations == ["added web"])
        fixture.emit("web", .up())
        #expect(try fixture.json("/targets/web")["state"] == .string("up"))
    }

    @Test("Location keeps the prefix, and a missing id is generated")
    func location() throws {
        let response = fixture.send("POST", "/api/v1/targets", #"{"host":"Example.org"}"#)
        #expect(response.status == 201)
        #expect(response.header("Location") == "/api/v1/targets/example.org")
        #expect(fixture.respond("/api/v1/targets/example.org").status == 200)
    }

    @Test("409 when the id exists, whatever its origin", arguments: ["api", "config", "found", "default-ipv4"])
    func exists(id: String) throws {
        try fixture.configure(
            "targets: [{id: config, address: 127.0.0.1}]\nauto_targets: true",
            found: [.address("found")]
        )
        fixture.send("POST", "/targets", #"{"id":"api","address":"192.0.2.1"}"#)
        let response = fixture.send("POST", "/targets", #"{"id":"\#(id)","address":"192.0.2.2"}"#)
        #expect(response.status == 409)
        #expect(try fixture.problem(response) == "target_exists")
        #expect(try fixture.pointers(response) == ["/id"])
    }

    @Test(
        "422 lists every error with its position",
        arguments: [
            (#"{"adress":"192.0.2.1","address":"192.0.2.1","port":"80"}"#, ["/adress", "/port"]),
            (#"{"id":"a b","address":"192.0.2.1"}"#, ["/id"]),
            (#"{"address":"192.0.2.1","probe":{"type":"tcp","interval":30}}"#, ["/probe", "/probe/interval"]),
            (#"{"address":"192.0.2.1","depends_on":["nobody"]}"#, ["/depends_on/0"]),
            (#"{"address":"192.0.2.1","id":"a","depends_on":"a"}"#, ["/depends_on"]),
            (#"{"address":"192.0.2.1","address":"192.0.2.2"}"#, ["/address"]),
            (#"{"address":null}"#, ["/address"]),
            (#"{"address":"fe80::1"}"#, ["/address"]),
            (#"{"host":"fe80::1","port":1,"probe":{"type":"tcp"}}"#, ["/host"]),
            (#"{"probe":{"type":"http","url":"http://[fe80::1]/"}}"#, ["/probe/url"]),
            (#"{"address":"192.0.2.1","local_address":"2001:db8::1"}"#, ["/local_address"]),
            (#"{"address":"192.0.2.1","port":1,"probe":{"type":"udp","payload":"x"}}"#, ["/probe/expect"]),
            (#"{}"#, [""]),
            (#"[]"#, [""]),
            (#"null"#, [""]),
            (#""x""#, [""]),
            (#"{"targets":{}}"#, ["/targets"]),
            (#"{"targets":[],"x":1}"#, ["/x"]),
            (
                #"{"targets":[{"host":"a"},{"host":"a"},{"hots":"b"}]}"#,
                ["/targets/1", "/targets/2", "/targets/2/hots"]
            ),
            (
                #"{"targets":[{"id":"a","host":"a","depends_on":"b"},{"id":"b","host":"b","depends_on":"a"}]}"#,
                ["/targets/0/depends_on"]
            ),
        ] as [(String, [String])]
    )
    func invalid(body: String, pointers: [String]) throws {
        let response = fixture.send("POST", "/targets", body)
        #expect(response.status == 422)
        #expect(try fixture.problem(response) == "invalid_target")
        #expect(Set(try fixture.pointers(response)) == Set(pointers), "\(response.text)")
        #expect(fixture.registry.overview.counts.total == 0)
    }

    @Test(
        "400 when the body is not JSON",
        arguments: ["", "{", "{a: 1}", #"{"a":1,}"#, "{}{}", #"{"a":"\u{1}"}"#, "*a"]
    )
    func malformed(body: String) throws {
        for (method, path) in [("POST", "/targets"), ("PUT", "/targets/x")] {
            let response = fixture.send(method, path, body)
            #expect(response.status == 400)
            #expect(try fixture.problem(response) == "malformed_body")
        }
    }

    @Test(
        "415 for other types",
        arguments: [
            nil, "text/plain", "application/x-www-form-urlencoded", "application/yaml", "application/jsonx", "",
        ]
    )
    func mediaType(type: String?) throws {
        for (method, path) in [("POST", "/targets"), ("PUT", "/targets/a"), ("PATCH", "/targets/a")] {
            let response = fixture.send(method, path, #"{"host":"a"}"#, type: type)
            #expect(response.status == 415)
            #expect(try fixture.problem(response) == "unsupported_media_type")
        }
        #expect(fixture.send("POST", "/targets", "{}", type: "application/merge-patch+json").status == 415)
        let good = fixture.send("POST", "/targets", #"{"host":"a"}"#, type: "Application/JSON ; charset=utf-8")
        #expect(good.status == 201)
    }

    @Test("PUT adds with 201 and replaces with 200; omitted members get their defaults")
    func put() throws {
        let new = fixture.send("PUT", "/targets/web", #"{"address":"192.0.2.1","group":"g"}"#)
        #expect(new.status == 201)
        #expect(new.header("Location") == "/targets/web")
        let again = fixture.send("PUT", "/targets/web", #"{"id":"web","address":"192.0.2.2"}"#)
        #expect(again.status == 200)
        #expect(again.header("Location") == nil)
        let body = try fixture.json("/targets/web")
        #expect(body["address"] == .string("192.0.2.2"))
        #expect(body["group"] == nil)
        #expect(fixture.declarations == ["added web", "updated web"])
        let other = fixture.send("PUT", "/targets/web", #"{"id":"mail","address":"192.0.2.2"}"#)
        #expect(other.status == 422)
        #expect(try fixture.pointers(other) == ["/id"])
        #expect(fixture.send("PUT", "/targets/a%20b", #"{"host":"a"}"#).status == 422)
        #expect(fixture.send("PUT", "/targets/%zz", #"{"host":"a"}"#).status == 400)
        // The same again changes nothing, and nobody is told.
        #expect(fixture.send("PUT", "/targets/web", #"{"address":"192.0.2.2"}"#).status == 200)
        #expect(fixture.declarations.count == 2)
    }

    @Test("PATCH merges into the declaration as it was sent; null removes; the result is checked as a whole")
    func patch() throws {
        let probe = #"{"type":"tcp","port":80,"interval":"10s"}"#
        fixture.send("PUT", "/targets/web", #"{"host":"a","group":"g","tags":{"a":"1","b":"2"},"probe":\#(probe)}"#)
        let patch = #"{"group":null,"tags":{"a":null,"c":"3"},"probe":{"interval":"1m"}}"#
        let response = fixture.send("PATCH", "/targets/web", patch, type: "application/merge-patch+json")
        #expect(response.status == 200)
        let body = try JSONValue(parsing: response.bytes)
        #expect(body["group"] == nil)
        #expect(body["tags"] == .object(["b": .string("2"), "c": .string("3")]))
        #expect(body[["probe", "interval_seconds"]] == .number(60))
        #expect(body[["probe", "port"]] == .number(80))
        #expect(fixture.send("PATCH", "/targets/web", #"{"host":null}"#).status == 422)
        #expect(fixture.send("PATCH", "/targets/web", #"{"id":"x"}"#).status == 422)
        #expect(fixture.send("PATCH", "/targets/web", #"{"id":null}"#).status == 200)
        #expect(fixture.send("PATCH", "/targets/web", "[]").status == 422)
        #expect(fixture.send("PATCH", "/targets/web", "{").status == 400)
        #expect(fixture.send("PATCH", "/targets/nobody", "{}").status == 404)
        #expect(fixture.send("PATCH", "/targets/web", #"{"probe":null}"#).status == 200)
        #expect(try fixture.json("/targets/web")["probe"] == nil)
    }

    @Test("DELETE: 204 without a body, then 404; a target with dependents is refused")
    func delete() throws {
        fixture.send("POST", "/targets", #"{"targets":[{"id":"a","host":"a"},{"id":"b","host":"b","depends_on":"a"}]}"#)
        let refused = fixture.send("DELETE", "/targets/a")
        #expect(refused.status == 409)
        #expect(try fixture.problem(refused) == "target_in_use")
        let gone = fixture.send("DELETE", "/targets/b", type: nil)
        #expect(gone.status == 204)
        #expect(gone.bytes.isEmpty)
        #expect(fixture.send("DELETE", "/targets/b").status == 404)
        #expect(fixture.send("DELETE", "/targets/a").status == 204)
        #expect(fixture.declarations == ["added a", "added b", "removed b", "removed a"])
        #expect(fixture.registry.overview.counts.total == 0)
    }

    @Test("Targets of other origins are read-only", arguments: ["config", "found", "default-ipv4"])
    func readOnly(id: String) throws {
        try fixture.configure(
            "targets: [{id: config, address: 127.0.0.1}]\nauto_targets: true",
            found: [.address("found")]
        )
        for method in ["PUT", "PATCH", "DELETE"] {
            let response = fixture.send(method, "/targets/\(id)", method == "DELETE" ? "" : #"{"host":"a"}"#)
            #expect(response.status == 409)
            #expect(try fixture.problem(response) == "read_only_target")
            #expect(try JSONValue(parsing: response.bytes)["detail"]?.string?.isEmpty == false)
        }
    }

    @Test("A batch is applied whole or not at all")
    func batch() throws {
        fixture.send("POST", "/targets", #"{"id":"b","host":"b"}"#)
        let response = fixture.send("POST", "/targets", #"{"targets":[{"id":"a","host":"a"},{"id":"b","host":"b"}]}"#)
        #expect(response.status == 409)
        #expect(try fixture.pointers(response) == ["/targets/1/id"])
        #expect(fixture.respond("/targets/a").status == 404)
        let good = fixture.send("POST", "/targets", #"{"targets":[{"id":"a","host":"a"},{"id":"c","host":"c"}]}"#)
        #expect(good.status == 201)
        #expect(good.header("Location") == nil)
        let body = try JSONValue(parsing: good.bytes)
        #expect(body["targets"]?.array?.compactMap { $0["id"]?.string } == ["a", "c"])
        #expect(body["total"] == .number(2))
        #expect(fixture.send("POST", "/targets", #"{"targets":[]}"#).status == 200)
    }

    @Test("limits.targets counts all targets; beyond it 422, and a removed target frees a slot")
    func limit() throws {
        try fixture.configure("targets: [{host: a}]\nlimits: {targets: 3}", found: [.address("found")])
        #expect(fixture.send("POST", "/targets", #"{"targets":[{"host":"b"},{"host":"c"}]}"#).status == 422)
        #expect(fixture.send("POST", "/targets", #"{"host":"b"}"#).status == 201)
        let refused = fixture.send("POST", "/targets", #"{"host":"c"}"#)
        #expect(refused.status == 422)
        #expect(try fixture.problem(refused) == "too_many_targets")
        #expect(fixture.send("PUT", "/targets/d", #"{"host":"d"}"#).status == 422)
        #expect(fixture.send("PUT", "/targets/b", #"{"host":"d"}"#).status == 200)
        #expect(fixture.send("DELETE", "/targets/b").status == 204)
        #expect(fixture.send("POST", "/targets", #"{"host":"c"}"#).status == 201)
    }

    @Test(
        "Variables are not expanded, and file names are refused",
        arguments: [
            (#"{"host":"a","probe":{"type":"tls","port":1,"tls":{"ca_file":"/etc/passwd"}}}"#, "/probe/tls/ca_file"),
            (#"{"host":"a","probe":{"type":"tls","port":1,"tls":{"pins":"/etc/passwd"}}}"#, "/probe/tls/pins"),
            (#"{"host":"a","probe":{"type":"tls","port":1,"tls":{"pins":["/etc"]}}}"#, "/probe/tls/pins/0"),
            (
                #"{"probe":{"type":"http","url":"http://a/","auth":{"token_file":"/etc/passwd"}}}"#,
                "/probe/auth/token_file"
            ),
        ]
    )
    func files(body: String, pointer: String) throws {
        let response = fixture.send("POST", "/targets", body)
        #expect(response.status == 422)
        #expect(try fixture.pointers(response).contains(pointer), "\(response.text)")
        #expect(response.text.contains("is the name of a file"))
    }

    @Test("A variable reference is plain text")
    func variables() throws {
        let text = "${HOME} $$ ${"
        #expect(fixture.send("POST", "/targets", #"{"host":"a","name":"\#(text)"}"#).status == 201)
        #expect(try fixture.json("/targets/a")["name"] == .string(text))
    }

    @Test("Changes are accepted only from this machine, and not from pages of other sites")
    func rule() throws {
        let requests = [
            ("POST", "/targets"), ("PUT", "/targets/a"), ("PATCH", "/targets/a"), ("DELETE", "/targets/a"),
            ("POST", "/-/reload"),
        ]
        for (method, path) in requests {
            let far = fixture.respond(path, method: method, peer: "192.0.2.1:1")
            #expect(far.status == 403)
            let page = fixture.respond(path, method: method, headers: [HTTPHeader("Sec-Fetch-Site", "cross-site")])
            #expect(page.status == 403)
        }
    }

    @Test("JSON escapes are decoded, including surrogate pairs")
    func escapes() throws {
        let body = #"{"host":"a","name":"\ud83d\ude00 \u00e9\/\"","tags":{"k":"\\"}}"#
        #expect(fixture.send("POST", "/targets", body).status == 201)
        let target = try fixture.json("/targets/a")
        #expect(target["name"] == .string("😀 é/\""))
        #expect(target[["tags", "k"]] == .string("\\"))
    }

    @Test("Errors have a pointer, a line and a column")
    func reload() throws {
        #expect(fixture.send("POST", "/-/reload").status == 501)
        let wiring = RequestHandler.ServiceDependencies(reload: {
            .rejected([.init(pointer: "/mark", line: 3, column: 7, code: "wrong_type", message: "no number")])
        })
        let fixture = Fixture(wiring: wiring)
        let response = fixture.send("POST", "/-/reload")
        #expect(response.status == 422)
        #expect(try fixture.problem(response) == "invalid_configuration")
        let fault = try #require(try JSONValue(parsing: response.bytes)["errors"]?.array?.first)
        #expect(fault["pointer"] == .string("/mark"))
        #expect(fault["line"] == .number(3) && fault["column"] == .number(7))
        #expect(fixture.respond("/-/reload").status == 405)
    }
}
