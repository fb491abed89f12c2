// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import TestSupport
import Testing

@Suite struct ServeTests {
    @Test(
        "the service responds, logs its address, and SIGTERM and SIGINT end streams and the program with 0",
        arguments: [SIGTERM, SIGINT]
    )
    func endsBySignal(signal: Int32) throws {
        let service = try RunningService("targets: [{address: 127.0.0.1}]")
        #expect(try service.get("/livez").status == 200)
        #expect(try service.get("/version").text.contains("\"version\":\"0."))
        let stream = try SSEClient(port: service.port)
        #expect(try stream.next()?.event == "hello")
        service.process.kill(signal)
        // The stream ends by itself: all that is left of it can be read to its end.
        while try stream.next() != nil {}
        #expect(service.process.wait() == 0)
    }

    @Test("without a file the service monitors the automatic targets")
    func withoutFile() throws {
        let process = try Reachd.start(["--listen", "127.0.0.1:0"])
        defer { process.kill(SIGKILL) }
        var port: UInt16?
        while port == nil, let line = process.readLine() {
            port = line.split(separator: "127.0.0.1:").last.flatMap { UInt16($0) }
        }
        let text = try HTTPClient.get("/targets", port: try #require(port)).text
        // Which families this machine has is its own affair.
        #expect(text.contains("\"id\":\"default-ipv4\"") || text.contains("\"id\":\"default-ipv6\""))
        #expect(text.contains("\"origin\":\"auto\""))
    }

    @Test("SIGHUP takes the new targets and leaves the unchanged ones untouched")
    func reload() throws {
        let service = try RunningService("targets: [{id: stays, address: 127.0.0.1}, {id: goes, address: 127.0.0.2}]")
        while try service.get("/readyz").status != 200 {}
        let before = try service.get("/targets/stays").text
        let stream = try SSEClient("/events?event=config&event=target", port: service.port)
        #expect(try stream.next()?.event == "hello")
        try service.reload(
            "targets: [{id: stays, address: 127.0.0.1}, {id: comes, address: 127.0.0.3}]\nlog: {format: json}"
        )
        var events: [String] = []
        while events.last != "config", let message = try stream.next() {
            events.append(message.event)
            if message.event == "target" { #expect(!message.data.contains("\"id\":\"stays\"")) }
            if message.event == "config" { #expect(message.data.contains("\"action\":\"reloaded\"")) }
        }
        #expect(events == ["target", "target", "config"])
        #expect(try service.get("/targets/stays").text == before)
        #expect(try service.get("/targets/goes").status == 404)
        #expect(try service.get("/targets/comes").status == 200)
        let line = service.waitForLine { $0.contains("configuration reloaded") }
        #expect(line?.hasPrefix("{\"time\":\"") == true)
        #expect(line?.contains("\"added\":\"1\"") == true && line?.contains("\"unchanged\":\"1\"") == true)
    }

    @Test("SIGHUP with a faulty file keeps the old configuration and reports every error")
    func rejectedReload() throws {
        let service = try RunningService("targets: [{id: stays, address: 127.0.0.1}]")
        let stream = try SSEClient("/events?event=config", port: service.port)
        #expect(try stream.next()?.event == "hello")
        try service.reload("targets: []\nlisen: 1\nmark: x")
        let message = try #require(try stream.next { $0.event == "config" })
        #expect(message.data.contains("\"action\":\"rejected\""))
        #expect(message.data.contains("reachd.yaml:2:1: 'lisen' is not a key"))
        #expect(message.data.contains("reachd.yaml:3:7: 'x' is not a whole number"))
        #expect(try service.get("/targets/stays").status == 200)
        #expect(service.waitForLine { $0.contains("error \(service.file):2:1: 'lisen' is not a key") } != nil)
        #expect(service.waitForLine { $0.contains("error \(service.file):3:7:") } != nil)
        try service.reload("targets: []\nauto_targets: false")
        #expect(try stream.next { $0.event == "config" }?.data.contains("\"action\":\"reloaded\"") == true)
        #expect(try service.get("/targets/stays").status == 404)
    }

    @Test(
        "reload: auto takes changes of the file, of included files and of their set; a faulty one changes nothing, and is said once"
    )
    func automaticReload() throws {
        let folder = try TemporaryFolder()
        let pattern = folder.path(of: "*.yaml")
        func text(_ more: String) -> String { "reload: auto\ninclude: \(pattern)\nauto_targets: false\n\(more)" }
        try folder.write("targets: [{id: one, address: 127.0.0.1}]", to: "a.yaml")
        let service = try RunningService(text(""))
        while try service.get("/readyz").status != 200 {}
        let stream = try SSEClient("/events?event=config", port: service.port)
        #expect(try stream.next()?.event == "hello")
        func next() throws -> String { try stream.next { $0.event == "config" }?.data ?? "" }

        try folder.replace("targets: [{id: two, address: 127.0.0.2}]", at: "a.yaml")
        #expect(try next().contains("\"action\":\"reloaded\""))
        #expect(try service.get("/targets/one").status == 404)
        #expect(try service.get("/targets/two").status == 200)

        try folder.write("targets: [{id: three, address: 127.0.0.3}]", to: "b.yaml")
        #expect(try next().contains("\"action\":\"reloaded\""))
        #expect(try service.get("/targets/three").status == 200)

        try folder.write("targets: [{id: three", to: "b.yaml")
        let rejection = try next()
        #expect(rejection.contains("\"action\":\"rejected\"") && rejection.contains("b.yaml:1:"))
        #expect(try service.get("/targets/three").status == 200)

        // Without a change of contents nothing is read: the next event is that of the next contents.
        try folder.replace("targets: [{id: three", at: "b.yaml")
        try folder.write("not a part", to: "c.txt")
        try service.folder.replace(text("targets: [{id: four, address: 127.0.0.4}]"), at: "reachd.yaml")
        #expect(try next().contains("b.yaml:1:"))
        try Command.run(["rm", folder.path(of: "b.yaml")])
        #expect(try next().contains("\"action\":\"reloaded\""))
        #expect(try service.get("/targets/three").status == 404)
        #expect(try service.get("/targets/four").status == 200)
    }

    @Test("a setting that cannot change while running is named in the log")
    func restartNeeded() throws {
        let service = try RunningService("limits: {body_size: 1KiB}")
        try service.reload("limits: {body_size: 2KiB}")
        #expect(service.waitForLine { $0.contains("takes effect after a restart key=limits.body_size") } != nil)
    }

    @Test("faults in the configuration exit 78, each on its line")
    func faultyConfiguration() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("lisen: 1\nmark: x", to: "a.yaml")
        let result = try Reachd.run(["serve", "--config", file])
        #expect(result.status == 78)
        #expect(result.lines.count == 2)
        #expect(result.lines.first?.hasPrefix("\(file):1:1:") == true)
        let option = try Reachd.run(["--log-level", "loud"])
        #expect(option.status == 78)
        #expect(option.output.hasPrefix("option --log-level: 'loud'"))
    }

    @Test("a port in use exits 69 with a hint")
    func portInUse() throws {
        let other = try SilentServer()
        let result = try Reachd.run(["--listen", "127.0.0.1:\(other.port)"])
        #expect(result.status == 69)
        #expect(result.lines.count == 1)
        #expect(
            result.output.contains("127.0.0.1:\(other.port)")
                && result.output.contains("choose another address with --listen")
        )
    }

    @Test("a service manager receives READY, RELOADING and STOPPING", arguments: [false, true])
    func notification(isAbstract: Bool) throws {
        let folder = try TemporaryFolder()
        let name = isAbstract ? "@\(folder.path)" : folder.path(of: "notify")
        let manager = try NotifySocket(name)
        let service = try RunningService(environment: ["NOTIFY_SOCKET": name])
        #expect(try manager.next()?.hasPrefix("READY=1\nSTATUS=watching 0 configured targets") == true)
        try service.reload("targets: [{host: localhost}]")
        #expect(try manager.next()?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
        #expect(try manager.next()?.hasPrefix("READY=1\nSTATUS=watching 1 configured targets") == true)
        service.process.kill(SIGTERM)
        #expect(try manager.next() == "STOPPING=1")
        #expect(service.process.wait() == 0)
    }

    @Test("a service manager with a watchdog receives pings while all threads respond")
    func watchdog() throws {
        let folder = try TemporaryFolder()
        let manager = try NotifySocket(folder.path(of: "notify"))
        let service = try RunningService(environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "20000"])
        #expect(try manager.next()?.hasPrefix("READY=1") == true)
        for _ in 1...3 { #expect(try manager.next() == "WATCHDOG=1") }
        try service.reload("targets: [{host: localhost}]")
        var messages: Set<String> = []
        while !messages.contains("RELOADING=1") {
            let message = try #require(try manager.next())
            messages.insert(String(message.prefix { $0 != "\n" }))
        }
        #expect(messages.isSubset(of: ["WATCHDOG=1", "RELOADING=1"]))
        service.process.kill(SIGTERM)
        #expect(service.process.wait() == 0)
    }

    @Test("a thread that hangs is named, and the watchdog receives no ping", arguments: ["paths", "probes", "http"])
    func hangingThread(name: String) throws {
        let folder = try TemporaryFolder()
        let manager = try NotifySocket(folder.path(of: "notify"))
        let service = try RunningService(environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "400000"])
        _ = service.waitForLine { $0.contains("watching") }
        // It waits a minute in its next system call, and all others go on.
        let thread = try #require(try ProcessFacts.threads(of: service.process.pid)["reachd-\(name)"])
        let tracer = try ChildProcess([
            "strace", "-qq", "-o", "/dev/null", "-p", "\(thread)", "-e", "inject=all:delay_enter=60000000",
        ])
        // On a busy machine others may be slow for once.
        let line = service.waitForLine { $0.contains("is not responding") && $0.hasSuffix("thread=\(name)") }
        #expect(line != nil, "\(service.log)")
        service.process.kill(SIGKILL)
        tracer.kill(SIGKILL)
        _ = service.process.wait()
        _ = tracer.wait()
    }

    @Test("another process's watchdog is none of its own")
    func foreignWatchdog() throws {
        let folder = try TemporaryFolder()
        let manager = try NotifySocket(folder.path(of: "notify"))
        let service = try RunningService(
            environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "2", "WATCHDOG_PID": "1"]
        )
        #expect(try manager.next()?.hasPrefix("READY=1") == true)
        service.process.kill(SIGTERM)
        #expect(try manager.next() == "STOPPING=1")
        #expect(service.process.wait() == 0)
    }

    @Test("the log has its level and its format from the command line, the environment, the file, in this order")
    func logSettings() throws {
        let service = try RunningService(
            "log: {level: critical, format: text}",
            arguments: ["--log-format", "json"],
            environment: ["REACHD_LOG_LEVEL": "info"]
        )
        #expect(service.log.first?.hasPrefix("{\"time\":\"") == true)
        #expect(service.log.first?.contains("\"level\":\"info\"") == true)
    }

    @Test("a request by another name is refused while only loopback is listened on")
    func hostRule() throws {
        let service = try RunningService("allowed_hosts: [reachd.example]")
        func status(_ host: String) throws -> Int {
            try HTTPClient.get("/livez", port: service.port, headers: ["Host": host]).status
        }
        #expect(try status("localhost") == 200)
        #expect(try status("reachd.example:\(service.port)") == 200)
        #expect(try status("evil.example") == 421)
    }
}
