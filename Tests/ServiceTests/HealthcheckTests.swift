// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@Suite struct HealthcheckTests {
    @Test("a running service is healthy, by address, by unix socket and by configuration")
    func healthy() throws {
        let folder = try TemporaryFolder()
        let socket = "unix:\(folder.path(of: "s"))"
        let service = try RunningService("listen: ['127.0.0.1:0', '\(socket)']\ntargets: [{address: 127.0.0.1}]")
        // Ready once the target has its first verdict; the path to loopback needs no more than that.
        var result = try Reachd.run(["healthcheck", "--url", "http://127.0.0.1:\(service.port)"])
        while result.output.contains("HTTP 503") {
            result = try Reachd.run(["healthcheck", "--url", "http://127.0.0.1:\(service.port)"])
        }
        #expect(result.status == 0)
        #expect(result.output == "healthy: /readyz at http://127.0.0.1:\(service.port)\n")
        #expect(try Reachd.run(["healthcheck", "--url", socket]).status == 0)
        let file = try folder.write("listen: '\(socket)'", to: "a.yaml")
        #expect(try Reachd.run(["healthcheck", "--config", file]).status == 0)
        #expect(try Reachd.run(["healthcheck"], environment: ["REACHD_CONFIG": file]).status == 0)
        #expect(try Reachd.run(["healthcheck"], environment: ["REACHD_LISTEN": socket]).status == 0)
    }

    @Test("a target is checked by its id")
    func target() throws {
        let service = try RunningService(
            "targets: [{id: up, address: 127.0.0.1}, {id: down, kind: default, interface: nosuch0}]"
        )
        let url = ["--url", "http://127.0.0.1:\(service.port)"]
        while try service.get("/readyz").status != 200 {}
        #expect(try Reachd.run(["healthcheck", "--target", "up"] + url).status == 0)
        let down = try Reachd.run(["healthcheck", "--target", "down"] + url)
        #expect(down.status == 1)
        #expect(down.output == "unhealthy: HTTP 503 for /targets/down/health\n")
        let unknown = try Reachd.run(["healthcheck", "--target", "nosuch"] + url)
        #expect(unknown.status == 1)
        #expect(unknown.output == "unhealthy: unknown target\n")
    }

    @Test("below a base_path, from the configuration and from the URL")
    func basePath() throws {
        let folder = try TemporaryFolder()
        let socket = "unix:\(folder.path(of: "s"))"
        let text = "base_path: /a/b\ntargets: [{id: up, address: 127.0.0.1}]\n"
        let service = try RunningService(text + "listen: ['127.0.0.1:0', '\(socket)']")
        while try service.get("/readyz").status != 200 {}
        let file = try folder.write(text + "listen: '\(socket)'", to: "a.yaml")
        #expect(try Reachd.run(["healthcheck", "--config", file, "--target", "up"]).status == 0)
        #expect(try Reachd.run(["healthcheck", "--config", file]).output == "healthy: /readyz at \(socket)\n")
        let url = "http://127.0.0.1:\(service.port)"
        #expect(try Reachd.run(["healthcheck", "--url", url]).status == 0)
        #expect(try Reachd.run(["healthcheck", "--url", url, "--target", "up"]).status == 1)
        #expect(try Reachd.run(["healthcheck", "--url", url + "/a/b/", "--target", "up"]).status == 0)
        #expect(try service.get("/status").status == 404)
        #expect(try service.get("/a/b/status").status == 200)
    }

    @Test("with tokens the check of a target needs one; the readiness of the service is public")
    func token() throws {
        let folder = try TemporaryFolder()
        let token = try folder.write("let-me-in", to: "token")
        let digest = try Command.run(["sh", "-c", "printf let-me-in | sha256sum"]).prefix(64)
        let service = try RunningService(
            "access: {tokens: [{name: r, digest: '\(digest)', scopes: [read]}]}\ntargets: [{id: up, address: 127.0.0.1}]"
        )
        let url = ["--url", "http://127.0.0.1:\(service.port)"]
        while try service.get("/readyz").status != 200 {}
        #expect(try Reachd.run(["healthcheck"] + url).status == 0)
        let without = try Reachd.run(["healthcheck", "--target", "up"] + url)
        #expect(without.status == 1)
        #expect(without.output.hasPrefix("unhealthy: ") && without.output.contains("requires an access token"))
        let target = ["healthcheck", "--target", "up", "--token-file"]
        #expect(try Reachd.run(target + [token] + url).status == 0)
        let other = try folder.write("stranger", to: "other")
        #expect(try Reachd.run(target + [other] + url).output.contains("rejected the access token"))
        #expect(
            try Reachd.run(["healthcheck", "--target", "up"] + url, environment: ["REACHD_TOKEN_FILE": token])
                .status == 0
        )
    }

    @Test("a server that is not reachd is not healthy")
    func stranger() throws {
        let stranger = try HookServer()
        let result = try Reachd.run(["healthcheck", "--url", "http://127.0.0.1:\(stranger.port)"])
        #expect(result.status == 1)
        #expect(result.output.contains("is not reachd"))
    }

    @Test("whatever goes wrong is one line and exit 1")
    func unhealthy() throws {
        let silent = try SilentServer()
        let folder = try TemporaryFolder()
        let faulty = try folder.write("lisen: 1", to: "a.yaml")
        let cases = [
            ["--url", "http://127.0.0.1:\(silent.port)", "--timeout", "50ms"],
            ["--url", "unix:\(folder.path(of: "none"))"], ["--url", "http://127.0.0.1:1"], ["--url", "gopher://x"],
            ["--config", faulty], ["--config", folder.path(of: "none.yaml")], ["--target", "a/b"], ["--timeout", "3"],
        ]
        for arguments in cases {
            let result = try Reachd.run(["healthcheck"] + arguments)
            #expect(result.status == 1, "\(arguments)")
            #expect(result.lines.count == 1, "\(result.output)")
            #expect(result.output.hasPrefix("unhealthy: "))
        }
        #expect(try Reachd.run(["healthcheck", "--nonsense"]).status == 1)
    }
}
