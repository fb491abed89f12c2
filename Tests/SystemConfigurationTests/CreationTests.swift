// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import SystemConfiguration
import Testing

@Suite struct CreationTests {
    private func target(ofName name: String) -> PathTarget? {
        unsafe SCNetworkReachabilityCreateWithName(nil, name)?.request.target
    }

    private func target(of text: String, scope: UInt32 = 0) -> PathTarget? {
        unsafe withAddress(text, scope: scope) {
            unsafe SCNetworkReachabilityCreateWithAddress(nil, $0)?.request.target
        }
    }

    private func target(local: String?, remote: String?) -> PathTarget? {
        unsafe withAddress(local) { local in
            unsafe withAddress(remote) { remote in
                unsafe SCNetworkReachabilityCreateWithAddressPair(nil, local, remote)?.request.target
            }
        }
    }

    @Test("R40: a name that is a literal becomes an address target")
    func literals() throws {
        #expect(target(ofName: "192.0.2.1") == .address(try #require(IPAddress("192.0.2.1"))))
        #expect(target(ofName: "2001:db8::1") == .address(try #require(IPAddress("2001:db8::1"))))
        #expect(target(ofName: "fe80::1%lo") == .address(try #require(IPAddress("fe80::1")), interface: "lo"))
        #expect(target(ofName: "fe80::1%1") == .address(try #require(IPAddress("fe80::1")), interface: "lo"))
        #expect(target(ofName: "0.0.0.0") == .defaultPath())
        #expect(target(ofName: "example.org") == .name("example.org"))
    }

    @Test(
        "R40: a URL and host:port stay names that do not resolve",
        arguments: ["example.org:80", "http://example.org/"]
    )
    func hopeless(name: String) {
        #expect(target(ofName: name) == .name(name))
    }

    @Test("R41: the zero address of either family is the default path of any", arguments: ["0.0.0.0", "::"])
    func zero(text: String) {
        #expect(target(of: text) == .defaultPath())
    }

    @Test("R41: a pair's zero remote keeps its family")
    func zeroRemote() throws {
        #expect(target(local: nil, remote: "0.0.0.0") == .defaultPath(family: .ipv4))
        #expect(target(local: nil, remote: "::") == .defaultPath(family: .ipv6))
        let local = try #require(IPAddress("192.0.2.1"))
        #expect(target(local: "192.0.2.1", remote: "0.0.0.0") == .pair(local: local, remote: IPAddress("0.0.0.0")))
    }

    @Test("R42: an invalid target is refused with an invalid argument")
    func refused() {
        #expect(target(ofName: "") == nil)
        #expect(SCError() == kSCStatusInvalidArgument)
        #expect(target(ofName: "...") == nil)
        #expect(target(ofName: String(repeating: "a", count: 1025)) == nil)
        #expect(SCNetworkReachabilityCreateWithName(nil, nil) == nil)
        let notText: [CChar] = [-1, -2, 0]
        #expect(unsafe SCNetworkReachabilityCreateWithName(nil, notText) == nil)
        #expect(SCError() == kSCStatusInvalidArgument)

        #expect(target(ofName: "example.org") != nil)
        #expect(SCError() == kSCStatusOK)

        #expect(SCNetworkReachabilityCreateWithAddress(nil, nil) == nil)
        #expect(SCError() == kSCStatusInvalidArgument)
        #expect(SCNetworkReachabilityCreateWithAddressPair(nil, nil, nil) == nil)
        #expect(SCError() == kSCStatusInvalidArgument)
        #expect(target(of: "fe80::1", scope: 4_000_000_000) == nil)
    }

    @Test("R42: other families are refused, alone and on either side of a pair")
    func otherFamilies() {
        var local = sockaddr()
        local.sa_family = sa_family_t(AF_UNIX)
        #expect(unsafe SCNetworkReachabilityCreateWithAddress(nil, &local) == nil)
        #expect(SCError() == kSCStatusInvalidArgument)
        #expect(unsafe SCNetworkReachabilityCreateWithAddressPair(nil, &local, nil) == nil)
        #expect(unsafe SCNetworkReachabilityCreateWithAddressPair(nil, nil, &local) == nil)
    }

    @Test("R42: a pair of mixed families is refused with an invalid argument; a mapped address is IPv4")
    func mixedFamilies() throws {
        for (local, remote) in [("192.0.2.1", "2001:db8::9"), ("2001:db8::1", "192.0.2.9"), ("::1", "127.0.0.1")] {
            #expect(target(local: local, remote: remote) == nil)
            #expect(SCError() == kSCStatusInvalidArgument)
        }
        let pair = PathTarget.pair(local: IPAddress("192.0.2.1"), remote: IPAddress("192.0.2.9"))
        #expect(target(local: "192.0.2.1", remote: "::ffff:192.0.2.9") == pair)
    }

    @Test("R43: pairs")
    func pairs() throws {
        let local = try #require(IPAddress("192.0.2.1"))
        let remote = try #require(IPAddress("192.0.2.9"))
        #expect(target(local: "192.0.2.1", remote: "192.0.2.9") == .pair(local: local, remote: remote))
        #expect(target(local: "192.0.2.1", remote: nil) == .pair(local: local, remote: nil))
        #expect(target(local: nil, remote: "192.0.2.9") == .address(remote))
        #expect(target(local: "127.0.0.1", remote: "192.0.2.9") == .address(remote))
        let loopback = try #require(IPAddress("127.0.0.1"))
        #expect(target(local: "127.0.0.1", remote: "127.0.0.1") == .pair(local: loopback, remote: loopback))
    }

    @Test("R45: an IPv4-mapped address is the IPv4 address")
    func mapped() {
        #expect(target(of: "::ffff:192.0.2.1") == target(of: "192.0.2.1"))
        #expect(target(of: "::ffff:0.0.0.0") == .defaultPath())
    }

    @Test("A scope binds to its interface")
    func scope() throws {
        let index = unsafe if_nametoindex("lo")
        #expect(target(of: "fe80::1", scope: index) == .address(try #require(IPAddress("fe80::1")), interface: "lo"))
    }

    @Test("A misaligned address is read all the same")
    func misaligned() {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0xc000_0201).bigEndian
        let found = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { buffer in
                let odd = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[1...])
                unsafe odd.copyMemory(from: bytes)
                let pointer = unsafe odd.baseAddress?.assumingMemoryBound(to: sockaddr.self)
                return unsafe SCNetworkReachabilityCreateWithAddress(nil, pointer)?.request.target
            }
        }
        #expect(found == IPAddress("192.0.2.1").map { .address($0) })
    }

    @Test("Targets are equal by identity")
    func identity() {
        let one = SCNetworkReachability(PathRequest(.defaultPath()))
        let other = SCNetworkReachability(PathRequest(.defaultPath()))
        #expect(one == one)
        #expect(one != other)
        #expect(Set([one, other, one]).count == 2)
    }
}
