// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Schema
import Testing

@testable import Discovery

@Suite("Containers as targets")
struct ContainerTargetTests {
    private static let standard = ContainerSettings(sockets: [], isInContainer: false)

    private func items(
        _ list: String = RecordedContainers.docker,
        _ change: (inout ContainerSettings) -> Void = { _ in }
    ) throws -> (items: [DiscoveredItem], notes: [String]) {
        var settings = Self.standard
        change(&settings)
        var targets = ContainerTargets(settings)
        let items = targets.items(of: try ContainerListReader.read(Array(list.utf8)))
        return (items, targets.notes.map(\.text))
    }

    /// A list of one container.
    private func list(
        id: String = "x",
        name: String = "x",
        state: String = "running",
        created: Int = 1,
        _ labels: String
    ) -> String {
        """
        {"Id":"\(id)","Names":["/\(name)"],"Image":"i","Created":\(created),"State":"\(state)","Labels":{\(labels)},
         "Ports":[{"PrivatePort":80,"PublicPort":8080,"Type":"tcp"}],"HostConfig":{"NetworkMode":"bridge"},
         "NetworkSettings":{"Networks":{"bridge":{"IPAddress":"172.17.0.9"}}}}
        """
    }

    private static let on = #""reachd.enable":"true""#

    @Test("On the machine: the published port, or the container's own address; the host's network by the label's port")
    func machine() throws {
        let (items, notes) = try items()
        #expect(items.map(\.id) == ["container:db", "container:metrics", "container:shop:web"])
        #expect(items.map(\.address) == ["172.17.0.3:5432", "127.0.0.1:9100", "http://127.0.0.1:8080/health"])
        #expect(items.map(\.name) == ["Database", "metrics", "shop web"])
        #expect(notes.isEmpty)
        let web = try #require(items.last)
        #expect(
            web.labels.map { "\($0.name)=\($0.value)" } == [
                "compose_project=shop", "compose_service=web", "container=shop-web-1", "image=nginx:1.25",
                "__param_module=http",
            ]
        )
        #expect(web.declaration?.text == "group: \"shop\"\n")
        #expect(items.first?.declaration?.text == "group: \"data\"\nprobe:\n  { type: tcp, interval: 30s }")
        #expect(web.place == .source("container shop-web-1"))
    }

    @Test("In a container, and where it is chosen: addresses of networks")
    func networks() throws {
        let inside = try items { $0.isInContainer = true }.items
        #expect(inside.map(\.address) == ["172.17.0.3:5432", "127.0.0.1:9100", "http://172.18.0.2:80/health"])
        let chosen = try items { settings in
            settings.address = .container
            settings.network = "monitoring"
        }
        #expect(chosen.items.map(\.address) == ["172.20.0.3:5432", "127.0.0.1:9100"])
        #expect(chosen.notes == ["container shop-web-1: it has no address on the network monitoring"])
        let published = try items { settings in
            settings.address = .published
            settings.host = "docker.example"
        }
        #expect(published.items.map(\.address) == ["docker.example:9100", "http://docker.example:8080/health"])
        #expect(published.notes == ["container db: it publishes no TCP port"])
    }

    @Test("All: running containers without a label too, except those that a label excludes")
    func all() throws {
        let items = try items { $0.all = true }.items
        #expect(items.map(\.id) == ["container:db", "container:metrics", "container:plain", "container:shop:web"])
        #expect(items[2].address == "192.0.2.7:81")
        let refused = list(#""reachd.enable":"false""#)
        #expect(try self.items("[\(refused)]") { $0.all = true }.items.isEmpty)
    }

    @Test("Podman lists no mode: without a network, the label's port is one of the machine")
    func podman() throws {
        let items = try items(RecordedContainers.podman).items
        #expect(items.map(\.address) == ["127.0.0.1:18080"])
        #expect(items.map(\.id) == ["container:web"])
    }

    @Test("A stopped container stays with its last address, a removed one goes, and one that never ran has none")
    func stopped() throws {
        var targets = ContainerTargets(Self.standard)
        func items(_ list: String) throws -> [String] {
            targets.items(of: try ContainerListReader.read(Array("[\(list)]".utf8))).map(\.address)
        }
        #expect(try items(list(state: "exited", Self.on)).isEmpty)
        #expect(targets.notes.map(\.text) == ["container x: it is stopped, and its address is known only when it runs"])
        #expect(try items(list(Self.on)) == ["127.0.0.1:8080"])
        let gone = #"{"Id":"x","Names":["/x"],"State":"exited","Labels":{"reachd.enable":"true"},"Ports":[]}"#
        #expect(try items(gone) == ["127.0.0.1:8080"])
        #expect(try items(gone.replacing("exited", with: "restarting")) == ["127.0.0.1:8080"])
        #expect(targets.notes.isEmpty)
        #expect(try items("").isEmpty)
        #expect(try items(gone).isEmpty)
    }

    @Test("While a service is replaced there is one target: of several containers with one id the running, newest one")
    func replaced() throws {
        let compose = #""com.docker.compose.project":"p","com.docker.compose.service":"s","# + Self.on
        let old = list(id: "1", name: "p-s-1", state: "exited", created: 1, compose)
        let new = list(id: "2", name: "2_p-s-1", created: 2, compose)
        let newer = list(id: "3", name: "3_p-s-1", created: 3, compose)
        for order in [[old, new, newer], [newer, new, old]] {
            let items = try items("[\(order.joined(separator: ","))]").items
            #expect(items.map(\.id) == ["container:p:s"])
            #expect(items.first?.labels.first { $0.name == "container" }?.value == "3_p-s-1")
        }
        let second = list(id: "4", name: "p-s-2", #""com.docker.compose.container-number":"2","# + compose)
        #expect(try items("[\(new),\(second)]").items.map(\.id) == ["container:p:s", "container:p:s:2"])
    }

    @Test("Labels: a URL replaces all addresses, scheme and path make one, the port chooses")
    func labels() throws {
        func address(_ labels: String) throws -> String? {
            try items("[\(list(Self.on + "," + labels))]").items.first?.address
        }
        #expect(try address(#""reachd.url":"https://shop.example/","reachd.port":"80""#) == "https://shop.example/")
        #expect(try address(#""reachd.scheme":"https""#) == "https://127.0.0.1:8080/")
        #expect(try address(#""reachd.port":"80","reachd.path":"/x""#) == "http://127.0.0.1:8080/x")
        // Not published: the container's own.
        #expect(try address(#""reachd.port":"81""#) == "172.17.0.9:81")
    }

    @Test(
        "Labels that are wrong are noted and left out",
        arguments: [
            (#""reachd.port":"0""#, "reachd.port is not a port between 1 and 65535"),
            (#""reachd.port":"80x""#, "reachd.port is not a port between 1 and 65535"),
            (#""reachd.url":"file:///etc/passwd""#, "reachd.url is not a URL of http or https"),
            (#""reachd.scheme":"ftp""#, "reachd.scheme is neither http nor https"),
            (#""reachd.path":"x""#, "reachd.path is not the path of a URL, which begins with /"),
            (#""reachd.name":"a\nb""#, "reachd.name is not a line of at most 256 bytes"),
            (#""reachd.probe":"""#, "reachd.probe is empty or longer than 16384 bytes"),
            (#""reachd.interval":"1m""#, "reachd.interval is unknown"),
            (#""reachd.monitor":"perhaps""#, "reachd.monitor is neither true nor false"),
        ]
    )
    func faults(label: String, words: String) throws {
        let (items, notes) = try items("[\(list(Self.on + "," + label))]")
        #expect(items.map(\.address) == ["127.0.0.1:8080"])
        #expect(notes == ["container x: the label \(words)"])
    }

    @Test("No line of a probe's label becomes a key of the target")
    func injection() throws {
        let probe = #""reachd.probe":"type: tcp\nid: a\u2028id: b\u0085id: c\rid: d""#
        let text = try #require(items("[\(list(Self.on + "," + probe))]").items.first?.declaration?.text)
        let lines = text.split(whereSeparator: { ["\n", "\r", "\u{85}", "\u{2028}"].contains($0) })
        #expect(lines.first == "probe:" && lines.dropFirst().allSatisfy { $0.hasPrefix("  ") } && lines.count == 6)
    }

    @Test("Hostile lists are errors, or what they have of use; long labels are left out")
    func hostile() throws {
        for text in ["", "{}", "[", "[1,", "null", "[{\"Id\":}]"] {
            #expect(throws: SourceError.self) { try ContainerListReader.read(Array(text.utf8)) }
        }
        let odd = #"[1,null,{"Names":"x"},{"Names":["/x"],"Ports":{},"Labels":[],"NetworkSettings":3},{"Names":[]}]"#
        #expect(try ContainerListReader.read(Array(odd.utf8)).map(\.name) == ["x"])
        let long = list(Self.on + #","reachd.name":""# + String(repeating: "n", count: 20_000) + #"""#)
        #expect(try items("[\(long)]").items.first?.name == "x")
        let many = "[" + String(repeating: #"{"Names":["/x"]},"#, count: 20_000) + #"{"Names":["/x"]}]"#
        let error = #expect(throws: SourceError.self) { try ContainerListReader.read(Array(many.utf8)) }
        #expect(error?.code == .tooMany)
    }
}
