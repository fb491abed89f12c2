// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Testing

@testable import LinuxIO

/// The parts that need no server.
struct ConfigurationPartsTests {
    private func candidates(_ name: String, _ domains: [String], dots: Int = 1) -> [String] {
        var search = NameSearch(name: name, domains: domains, dots: dots)
        var names: [String] = []
        var step = search.start()
        while case .ask(let candidate) = step {
            names.append(candidate)
            step = search.advance(after: .noSuchName)
        }
        #expect(step == .finish(.noSuchName))
        return names
    }

    @Test("the order of resolv.conf(5)")
    func searchOrder() {
        #expect(candidates("a", ["x", "y.z"]) == ["a.x", "a.y.z", "a"])
        #expect(candidates("a.b", ["x"]) == ["a.b", "a.b.x"])
        #expect(candidates("a.b", ["x"], dots: 2) == ["a.b.x", "a.b"])
        #expect(candidates("a", ["x"], dots: 0) == ["a", "a.x"])
        #expect(candidates("a.", ["x"]) == ["a."])
        #expect(candidates("a", ["."]) == ["a"])
        #expect(candidates("a", []) == ["a"])
    }

    @Test("a candidate without addresses is remembered, a server that fails ends the search")
    func searchOutcomes() {
        var search = NameSearch(name: "a", domains: ["x"], dots: 1)
        #expect(search.start() == .ask("a.x"))
        #expect(search.advance(after: .noData) == .ask("a"))
        #expect(search.advance(after: .noSuchName) == .finish(.noData))
        var failing = NameSearch(name: "a", domains: ["x"], dots: 1)
        #expect(failing.start() == .ask("a.x"))
        #expect(failing.advance(after: .timedOut) == .finish(.timedOut))
        var tooLong = NameSearch(name: "a", domains: ["x"], dots: 1)
        #expect(tooLong.start() == .ask("a.x"))
        #expect(tooLong.advance(after: .badName) == .ask("a"))
    }

    @Test("two replies make one outcome")
    func combining() {
        let four = ResolvedAddress(bytes: [192, 0, 2, 1], timeToLive: 1)
        let six = ResolvedAddress(bytes: [UInt8](repeating: 1, count: 16), timeToLive: 2)
        func combine(_ replies: QuestionReply...) -> ResolverAnswer.Outcome { QuestionReply.combine(replies, limit: 2) }
        #expect(combine(.addresses([six]), .addresses([four, four])) == .addresses([four, six]))
        #expect(combine(.addresses([four, six]), .addresses([six])) == .addresses([four, six]))
        #expect(combine(.failure(.timedOut), .addresses([four])) == .addresses([four]))
        #expect(combine(.failure(.serverFailure), .failure(.noData)) == .serverFailure)
        #expect(combine(.failure(.noData), .failure(.refused)) == .refused)
        #expect(combine(.failure(.timedOut), .failure(.noSuchName)) == .noSuchName)
        #expect(combine(.failure(.noData), .failure(.noData)) == .noData)
    }

    @Test(
        "the line hosts: of nsswitch.conf",
        arguments: [
            ("", [.hosts, .servers]),
            ("hosts: files dns", [.hosts, .servers]),
            ("passwd: files\nhosts:\tdns\tfiles # why\n", [.servers, .hosts]),
            ("hosts: mymachines resolve [!UNAVAIL=return] files myhostname dns", [.servers, .hosts]),
            ("hosts: files mdns4_minimal [NOTFOUND=return]", [.hosts]),
            ("hosts: sss\n", [.hosts, .servers]),
            ("# hosts: dns\nhosts: dns\nhosts: files", [.servers]),
        ] as [(String, [NameSources.Source])]
    )
    func nameServiceSwitch(text: String, order: [NameSources.Source]) {
        #expect(NameSources(parsing: Array(text.utf8)).order == order)
    }

    @Test("a hosts file with everything that hosts files have")
    func hostsFile() {
        let text =
            "127.0.0.1 localhost\r\n::1\tlocalhost ip6-localhost\n\n#192.0.2.9 off\n"
            + "  192.0.2.1   Web web.example # 192.0.2.3\n192.0.2.2 web\n192.0.2.2 WEB\n"
            + "fe80::1%eth0 scoped\n192.0.2 short\n192.0.2.256 big\nlonely\n192.0.2.7\n192.0.2.8%eth0 percent"
        let hosts = HostsFile(parsing: Array(text.utf8))
        func find(_ name: String) -> [String]? { hosts.addresses(of: name)?.map(\.address.description) }
        #expect(find("localhost") == ["127.0.0.1", "::1"])
        #expect(find("IP6-LOCALHOST.") == ["::1"])
        #expect(find("web") == ["192.0.2.1", "192.0.2.2"])
        #expect(find("web.example") == ["192.0.2.1"])
        #expect(find("scoped") == ["fe80::1"])
        for name in ["off", "192.0.2.3", "short", "big", "lonely", "percent", "", "#"] { #expect(find(name) == nil) }
        #expect(hosts.addresses(of: "web")?.first?.timeToLive == ResolvedAddress.permanent)
    }

    @Test(
        "the search list of resolv.conf, of the environment and of the machine's name",
        arguments: [
            ("", [], 1), ("nameserver 127.0.0.1\n", [], 1),
            ("search a.example b.example\n", ["a.example", "b.example"], 1),
            ("search a\ndomain b c", ["b"], 1), ("domain b\nsearch a\tc # d", ["a", "c"], 1), ("search", [], 1),
            ("  search a ; b\r\noptions timeout:1 ndots:3 rotate\n", ["a"], 3), ("options ndots:0", [], 0),
            ("options ndots:99", [], 15), ("options ndots:x ndots:-1 ndots:", [], 1), ("searching a\n#search b", [], 1),
            (String(repeating: "a ", count: 100), [], 1),
        ] as [(String, [String], Int)]
    )
    func searchList(text: String, domains: [String], dots: Int) {
        let list = SearchList(parsing: Array(text.utf8))
        #expect(list.domains == domains)
        #expect(list.dots == dots)
    }

    @Test("the environment goes over the file, and a machine's domain is the list where there is none")
    func searchListOutside() {
        let file = Array("search a\noptions ndots:2\n".utf8)
        let list = SearchList(parsing: file, localDomain: "x y", options: "debug ndots:4", hostName: "m.example")
        #expect(list.domains == ["x", "y"])
        #expect(list.dots == 4)
        #expect(SearchList(parsing: file, hostName: "m.example").domains == ["a"])
        #expect(SearchList(parsing: [], hostName: "m.example.org").domains == ["example.org"])
        #expect(SearchList(parsing: [], hostName: "m").domains == [])
        let many = Array(("search" + String(repeating: " a", count: 1000)).utf8)
        #expect(SearchList(parsing: many).domains.count == 32)
    }

    @Test(
        "the name servers and options of resolv.conf",
        arguments: [
            ("", ["127.0.0.1"], nil, nil, false),
            (
                "nameserver 192.0.2.1 # one\nnameserver 192.0.2.1\n nameserver\t::1\n", ["192.0.2.1", "::1"], nil, nil,
                false
            ),
            ("nameserver fe80::1%eth0\nnameserver fe80::1%eth1", ["fe80::1%eth0", "fe80::1%eth1"], nil, nil, false),
            (
                "nameserver fe80::1%\nnameserver x\nnameserver\nnameserver fe80::1%an-interface-name", ["127.0.0.1"],
                nil, nil, false
            ),
            ("nameserver 2001:db8::1%eth0", ["2001:db8::1"], nil, nil, false),
            ("options timeout:1 attempts:3 rotate", ["127.0.0.1"], 1_000, 3, true),
            ("options timeout:99 attempts:99", ["127.0.0.1"], 30_000, 5, false),
            ("options timeout:0 attempts:0\n#options rotate", ["127.0.0.1"], 1_000, 1, false),
            ("options timeout:x attempts:-1 rotates", ["127.0.0.1"], nil, nil, false),
        ] as [(String, [String], Int32?, Int32?, Bool)]
    )
    func serverList(text: String, servers: [String], timeout: Int32?, tries: Int32?, rotates: Bool) {
        let list = ServerList(parsing: Array(text.utf8))
        #expect(list.servers.map(\.description) == servers)
        #expect(list.timeout == timeout)
        #expect(list.tries == tries)
        #expect(list.rotates == rotates)
        #expect(ServerList(parsing: Array(text.utf8), options: "timeout:7").timeout == 7_000)
        let many = (0..<100).map { "nameserver 192.0.2.\($0)\n" }.joined()
        #expect(ServerList(parsing: Array(many.utf8)).servers.count == 16)
    }

    @Test("any bytes are a hosts file and a switch file")
    func fuzz() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("0123456789.:% \t\n#abchosts:filesdns\0\u{FF}".utf8)
        for _ in 0..<2_000 {
            let bytes = (0..<200).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            _ = HostsFile(parsing: bytes).addresses(of: "a")
            #expect(SearchList(parsing: bytes).dots <= 15)
            #expect(!ServerList(parsing: bytes).servers.isEmpty)
            #expect(!NameSources(parsing: bytes).order.isEmpty)
        }
    }

    @Test("addresses as text")
    func literals() {
        for text in ["192.0.2.1", "::", "2001:db8::1", "::ffff:192.0.2.1"] {
            #expect(AddressLiteral.read(text.utf8)?.description == text)
        }
        for text in ["", "1", "1.2.3", "1.2.3.4.5", "01.2.3.4x", ":", "1.2.3.4%lo", "::1\0", "g::", "%eth0"] {
            #expect(AddressLiteral.read(text.utf8) == nil)
        }
    }

    @Test("a queue returns its elements in order")
    func queue() {
        var queue = RequestQueue()
        var next = 0
        for number in 0..<1_000 {
            queue.append(ResolverRequest(name: "\(number)", completion: .addresses({ _ in })))
            if number % 3 == 0 {
                #expect(queue.popFirst()?.name == "\(next)")
                next += 1
            }
        }
        #expect(queue.count == 1_000 - next)
        #expect(queue.takeAll().map(\.name) == (next..<1_000).map { "\($0)" })
        #expect(queue.popFirst() == nil)
    }
}
