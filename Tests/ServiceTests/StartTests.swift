// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import TestSupport
import Testing

@Suite("Start of the service and its messages") struct StartTests {
    @Test("the page's URL is logged, and works: base_path, a wildcard, IPv6")
    func page() throws {
        let service = try RunningService("base_path: /reachd\nlisten: ['127.0.0.1:0', '*:0', '[::1]:0', '0.0.0.0:0']")
        var urls: [String] = []
        while urls.count < 4, let line = service.waitForLine({ $0.contains("web page url=") }) {
            urls.append(String(line.split(separator: "url=").last ?? "").replacing("\"", with: ""))
        }
        #expect(urls.first == "http://127.0.0.1:\(service.port)/reachd/")
        #expect(urls.filter { $0.hasPrefix("http://localhost:") }.count == 2, "\(urls)")
        #expect(urls.contains { $0.hasPrefix("http://[::1]:") }, "\(urls)")
        for url in urls {
            let page = try Command.run(["curl", "--silent", "--noproxy", "*", "--fail", url])
            #expect(page.contains("<title>reachd</title>"), "\(url)")
        }
    }

    @Test("the soft limit of descriptors is raised to the hard one; limits that exceed it are logged")
    func descriptors() throws {
        let service = try RunningService(wrapper: ["prlimit", "--nofile=256:900"])
        #expect(try service.get("/metrics").text.contains("\nprocess_max_fds 900\n"))
        #expect(
            service.log.contains {
                $0.contains("room for 386 subscribers of 1000 (events.max_streams)") && $0.contains("limit=900")
            },
            "\(service.log)"
        )
        let enough = try RunningService(wrapper: ["prlimit", "--nofile=256:20000"])
        #expect(!enough.log.contains { $0.contains("room for") }, "\(enough.log)")
    }

    @Test("a subscriber takes one descriptor")
    func cost() throws {
        let service = try RunningService("auto_targets: false")
        func open() throws -> Int {
            try Command.run(["ls", "/proc/\(service.process.pid)/fd"]).split(separator: "\n").count
        }
        let before = try open()
        let streams = try (0..<20).map { _ in
            let stream = try SSEClient("/events", port: service.port)
            #expect(try stream.next()?.event == "hello")
            return stream
        }
        #expect(try open() - before == 20)
        withExtendedLifetime(streams) {}
    }

    @Test(
        "a probe of http that waits takes three descriptors, one of tls takes one",
        arguments: [("http", 3), ("tls", 1)]
    )
    func cost(type: String, descriptors: Int) throws {
        let silent = try SilentServer()
        let service = try RunningService("auto_targets: false\nprobing: { start_spread: 0s }")
        func open() throws -> Int {
            try Command.run(["ls", "/proc/\(service.process.pid)/fd"]).split(separator: "\n").count
        }
        func add(_ number: Int) throws {
            // Probes that are alike would be one.
            let settings = #""interval":"10m","timeout":"\#(200 + number)s""#
            let reply = try HTTPClient.request(
                "PUT",
                "/targets/t\(number)",
                port: service.port,
                headers: ["Content-Type": "application/json"],
                body: #"{"address":"127.0.0.1","probe":{"type":"\#(type)","port":\#(silent.port),\#(settings)}}"#
            )
            #expect(reply.status == 201, "\(reply.text)")
        }
        // Connections of probes and requests come and go in turns of the loops.
        func settles(_ condition: () throws -> Bool) rethrows -> Bool {
            try (0..<20_000).contains { _ in try condition() }
        }
        // The first one makes libcurl and OpenSSL open what they keep.
        try add(0)
        #expect(try settles { try service.get("/metrics").text.contains("\nreachd_probes_in_flight 1\n") })
        let before = try (0..<20).map { _ in try open() }.min() ?? 0
        for number in 1...5 { try add(number) }
        #expect(try settles { try open() - before == 5 * descriptors })
        withExtendedLifetime(silent) {}
    }

    @Test(
        "modules that are built in answer without a configuration; one of the same name replaces its",
        arguments: ["", "probe_modules: [{name: icmp, probe: {type: tcp}}]"]
    )
    func modules(text: String) throws {
        let service = try RunningService("auto_targets: false\n\(text)")
        let target = "127.0.0.1:\(service.port)"
        for path in ["/probe?target=http://\(target)/livez", "/probe?module=tcp_connect&target=\(target)"] {
            #expect(try service.get(path).text.contains("\nprobe_success 1\n"), "\(path)")
        }
        let icmp = try service.get("/probe?module=icmp&target=\(target)")
        // An echo request has no port: as a target of the built-in module this one is refused.
        #expect(text.isEmpty ? icmp.status == 400 : icmp.text.contains("\nprobe_success 1\n"), "\(icmp.text)")
        #expect(try service.get("/probe?module=dns&target=127.0.0.1:1").text.contains("\nprobe_success 0\n"))
    }

    @Test("access.targets binds the modules that are built in as any other")
    func policy() throws {
        let service = try RunningService("auto_targets: false\naccess: {targets: {loopback: false}}")
        let answer = try service.get("/probe?module=tcp_connect&target=127.0.0.1:\(service.port)")
        #expect(answer.status == 403, "\(answer.text)")
    }
}
