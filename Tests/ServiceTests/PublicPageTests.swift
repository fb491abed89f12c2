// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@Suite("The public status page of the service", .timeLimit(.minutes(15)))
struct PublicPageTests {
    private static let targets = """
        targets:
          - {id: shop, name: Shop, address: 127.0.0.1, group: Web, probe: {type: tcp, port: 1, interval: 200ms, fall: 1}}
          - {id: vault, address: 127.0.0.2, group: Internal}
        """

    @Test("an address of its own serves it alone; announcements appear, and a reload changes the groups")
    func own() throws {
        let port = try FreePort.next()
        func text(_ groups: String) -> String {
            "public: {title: Example, groups: \(groups), listen: '127.0.0.1:\(port)'}\n\(Self.targets)"
        }
        let service = try RunningService(text("[Web]"))
        while try service.get("/incidents").text.contains("Shop is down") == false {}
        let found = try service.get("/incidents").text.firstMatch(of: /"id":"([0-9a-f]+-[0-9]+)"/)
        let id = String(try #require(found).1)
        let url = ["--url", "http://127.0.0.1:\(service.port)"]
        #expect(try Reachd.run(["incidents", id, "--announce", "A disk <fails>.", "--by", "anna"] + url).status == 0)
        var page = ""
        while !page.contains("A disk &lt;fails&gt;.") { page = try HTTPClient.get("/public", port: port).text }
        #expect(page.contains("<title>All services are down – Example</title>") && page.contains("Shop: down"))
        #expect(!page.contains("127.0.0") && !page.contains("vault") && !page.contains("anna"))
        #expect(try HTTPClient.get("/public/feed.atom", port: port).text.contains("<entry>"))
        for path in ["/", "/status", "/targets", "/metrics", "/livez"] {
            #expect(try HTTPClient.get(path, port: port).status == 404)
        }
        #expect(try service.get("/public").status == 404)
        try service.reload(text("[Internal]"))
        #expect(service.waitForLine { $0.contains("configuration reloaded") } != nil)
        let other = try HTTPClient.get("/public", port: port).text
        #expect(other.contains("vault") && !other.contains("Shop"))
    }

    @Test("without an address of its own the service's addresses serve it, without a token")
    func shared() throws {
        let digest = try Command.run(["sh", "-c", "printf %s a-secret-that-nobody-guesses | sha256sum"]).prefix(64)
        let service = try RunningService(
            "access: {tokens: [{name: r, digest: '\(digest)', scopes: [read]}]}\npublic: {groups: Web}\n\(Self.targets)"
        )
        #expect(try service.get("/public").status == 200)
        #expect(try service.get("/status").status == 401)
        #expect(try RunningService(Self.targets).get("/public").status == 404)
    }
}
