// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Testing

@testable import Probing

@Suite("Which targets clients may name") struct TargetPolicyTests {
    private func refuses(_ policy: TargetPolicy, _ text: String) throws -> Bool {
        policy.refusal(of: try #require(IPAddress(text))) != nil
    }

    private func blocks(_ texts: String...) -> [IPPrefix] { texts.compactMap { IPPrefix($0) } }

    @Test(
        "by default addresses that trust this machine by its place are denied, and so are unassigned ones",
        arguments: [
            "169.254.169.254", "169.254.170.2", "169.254.1.1", "fe80::1", "fd00:ec2::254", "fd20:ce::254",
            "100.100.100.200",
            "168.63.129.16", "192.0.0.192", "0.0.0.0", "0.1.2.3", "::", "224.0.0.1", "239.255.255.250",
            "255.255.255.255",
            "ff02::1",
        ]
    )
    func closed(text: String) throws {
        #expect(try refuses(TargetPolicy(), text))
        // A wide block does not open it, its own address does.
        #expect(try refuses(TargetPolicy(allowed: blocks("0.0.0.0/0", "::/0")), text))
        let itself = try #require(IPAddress(text))
        #expect(try !refuses(TargetPolicy(allowed: [IPPrefix(itself, length: 128)]), text))
    }

    @Test(
        "all else is open, private networks too",
        arguments: ["10.0.0.1", "192.168.1.1", "fd12::1", "8.8.8.8", "2606::1"]
    )
    func open(text: String) throws {
        #expect(try !refuses(TargetPolicy(), text))
        #expect(
            TargetPolicy.standard(allowsLoopback: false).count == TargetPolicy.standard(allowsLoopback: true).count + 2
        )
        #expect(TargetPolicy.standard(allowsLoopback: true).count == 16)
    }

    @Test(
        "loopback is allowed if only users of this machine have access",
        arguments: ["127.0.0.1", "127.9.9.9", "::1"]
    )
    func loopback(text: String) throws {
        #expect(try !refuses(TargetPolicy(), text))
        #expect(try refuses(TargetPolicy(allowsLoopback: false), text))
        #expect(try !refuses(TargetPolicy(allowed: blocks("127.0.0.0/8", "::1"), allowsLoopback: false), text))
    }

    @Test(
        "an address cannot hide in another one",
        arguments: [
            "::ffff:169.254.169.254", "::169.254.169.254", "::ffff:0:169.254.169.254", "64:ff9b::169.254.169.254",
            "64:ff9b:1::169.254.169.254", "64:ff9b:1:a9fe:a9:fe00::", "64:ff9b:1:a9:fe:a9fe::",
            "64:ff9b:1:1:a9:fea9:fe00:0",
            "2002:a9fe:a9fe::1", "2001:0:a9fe:a9fe::1", "2001:0:808:808:0:0:5601:5601",
            "2001:db8::5efe:169.254.169.254",
            "2001:db8::200:5efe:169.254.169.254",
        ]
    )
    func embedded(text: String) throws {
        #expect(try refuses(TargetPolicy(), text))
        #expect(try refuses(TargetPolicy(allowed: blocks("::/0", "0.0.0.0/0")), text))
        let harmless = [
            "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1", "2001:db8::5efe:8.8.8.8", "64:ff9b:1::8.8.8.8",
        ]
        for text in harmless { #expect(try !refuses(TargetPolicy(), text), "\(text)") }
        // What comes from the network is not read as text is.
        let mapped = IPAddress(ipv6High: 0, low: 0xffff_a9fe_a9fe)
        #expect(TargetPolicy().refusal(of: mapped) != nil)
        #expect(
            TargetPolicy(denied: blocks("10.0.0.0/8")).refusal(of: IPAddress(ipv6High: 0, low: 0xffff_0a00_0001)) != nil
        )
    }

    @Test("the narrowest block decides, and of two as wide the one that closes")
    func narrowest() throws {
        let policy = TargetPolicy(
            allowed: blocks("10.0.0.0/8", "10.1.2.0/24", "10.9.0.0/16"),
            denied: blocks("10.1.0.0/16", "10.9.0.0/16", "10.1.2.3/32")
        )
        for (text, isRefused) in [
            ("10.0.0.1", false), ("10.1.0.1", true), ("10.1.2.4", false), ("10.1.2.3", true), ("10.9.0.1", true),
            ("11.0.0.1", true), ("2001:db8::1", true),
        ] {
            #expect(try refuses(policy, text) == isRefused, "\(text)")
        }
        #expect(try refuses(TargetPolicy(denied: blocks("8.8.8.8/32")), "8.8.8.8"))
        #expect(try !refuses(TargetPolicy(denied: blocks("8.8.8.8/32")), "8.8.4.4"))
    }

    @Test("kinds, http and https apart; ports; proxies")
    func requests() throws {
        func request(_ kind: ProbeKind, _ host: ProbeHost = .name("a.test")) -> ProbeRequest {
            ProbeRequest(host: host, kind: kind)
        }
        func http(_ url: String, proxy: HTTPProxy? = nil) throws -> ProbeRequest {
            var settings = HTTPProbeSettings(url: try HTTPURL(url))
            settings.proxy = proxy
            return request(.http(settings))
        }
        let web = TargetPolicy(
            kinds: [TargetPolicy.Kind("https"), TargetPolicy.Kind("tcp")],
            ports: [443...443, 8000...8999]
        )
        #expect(web.refusal(of: try http("https://a.test/")) == nil)
        #expect(web.refusal(of: try http("https://a.test:8999/")) == nil)
        #expect(web.refusal(of: try http("https://a.test:9000/"))?.subject == .port)
        #expect(web.refusal(of: try http("http://a.test:8000/"))?.subject == .kind)
        #expect(web.refusal(of: request(.tcp(TCPProbeSettings(port: 443)))) == nil)
        #expect(web.refusal(of: request(.tcp(TCPProbeSettings(port: 442))))?.subject == .port)
        #expect(web.refusal(of: request(.icmp(ICMPProbeSettings())))?.subject == .kind)
        #expect(web.refusal(of: TargetPolicy.Kind.push)?.detail.contains("(allowed: tcp, https)") == true)
        #expect(TargetPolicy(ports: [1...1]).refusal(of: request(.icmp(ICMPProbeSettings()))) == nil)
        let metadata = ProbeHost.address(try #require(IPAddress("169.254.169.254")))
        #expect(TargetPolicy().refusal(of: request(.tcp(TCPProbeSettings(port: 80)), metadata))?.subject == .address)
        let proxy = HTTPProxy(host: .name("proxy.test"), port: 3128)
        #expect(TargetPolicy().refusal(of: try http("http://a.test/", proxy: proxy))?.subject == .proxy)
        let open = TargetPolicy(allowsProxies: true)
        #expect(open.refusal(of: try http("http://a.test/", proxy: proxy)) == nil)
        #expect(open.refusal(of: try http("http://169.254.169.254/", proxy: proxy))?.subject == .address)
        // As libcurl reads it, which is who would tell the proxy.
        #expect(open.refusal(of: try http("http://0xa9fea9fe/", proxy: proxy))?.subject == .address)
        let inside = HTTPProxy(host: metadata, port: 3128)
        #expect(open.refusal(of: try http("http://a.test/", proxy: inside))?.subject == .address)
    }
}
