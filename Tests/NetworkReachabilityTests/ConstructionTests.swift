// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Dispatch
import NetworkReachability
import SystemConfiguration
import Testing

@Suite("Managers of the system's targets")
struct ConstructionTests {
    @Test("R5, R7: each way leads to a manager that is idle and unknown")
    func ways() throws {
        var loopback = sockaddr_in()
        loopback.sin_family = sa_family_t(AF_INET)
        loopback.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let managers = [
            try NetworkReachabilityManager(),
            try NetworkReachabilityManager(forDomain: "reachd.test"),
            try NetworkReachabilityManager(forAddress: "2001:db8::1"),
            try NetworkReachabilityManager(forAddress: "fe80::1%lo"),
            try NetworkReachabilityManager(forAddress: "0.0.0.0"),
            try NetworkReachabilityManager(forAddress: "::"),
            try NetworkReachabilityManager(forLocalAddress: "127.0.0.1", remoteAddress: "127.0.0.2"),
            try NetworkReachabilityManager(forLocalAddress: nil, remoteAddress: "::1"),
            try unsafe withSocketAddress(&loopback) { address throws(NetworkReachabilityError) in
                try unsafe NetworkReachabilityManager(forAddress: address)
            },
            try unsafe withSocketAddress(&loopback) { address throws(NetworkReachabilityError) in
                try unsafe NetworkReachabilityManager(forLocalAddress: address, remoteAddress: nil)
            },
            NetworkReachabilityManager(reachability: SCNetworkReachability(PathRequest(.name("reachd.test")))),
        ]
        for manager in managers {
            #expect(manager.networkReachabilityStatus == .unknown)
            #expect(!manager.isMonitoring)
        }
    }

    @Test("R6: the shared manager is created once, also when threads request it simultaneously")
    func shared() {
        let seen = Journal()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            seen.append("\(ObjectIdentifier(NetworkReachabilityManager.shared).hashValue)")
        }
        #expect(Set(seen.lines).count == 1)
        #expect(NetworkReachabilityManager.shared.networkReachabilityStatus == .unknown)
    }

    @Test(
        "R8: text that is not a host name is a typed error",
        arguments: ["", "...", "a\0b", String(repeating: "a", count: 2000)]
    )
    func invalidDomain(domain: String) throws {
        let error = #expect(throws: NetworkReachabilityError.self) {
            _ = try NetworkReachabilityManager(forDomain: domain)
        }
        #expect(error?.code == .invalidDomain)
    }

    @Test(
        "R8: text that is not an address is a typed error",
        arguments: [
            "", "localhost", "192.0.2", "192.0.2.1:80", "192.0.2.1%lo", "fe80::1%", "fe80::1%no-such-link", "1",
        ]
    )
    func invalidAddress(address: String) {
        let error = #expect(throws: NetworkReachabilityError.self) {
            _ = try NetworkReachabilityManager(forAddress: address)
        }
        #expect(error?.code == .invalidAddress)
        #expect(error?.message.contains(address) == true)
    }

    @Test("R8: a socket address of another family is a typed error that has the system's code")
    func invalidFamily() {
        var unix = sockaddr_in()
        unix.sin_family = sa_family_t(AF_UNIX)
        let error = #expect(throws: NetworkReachabilityError.self) {
            try unsafe withSocketAddress(&unix) { address throws(NetworkReachabilityError) in
                _ = try unsafe NetworkReachabilityManager(forAddress: address)
            }
        }
        #expect(error?.code == .invalidAddress)
        #expect(error?.systemCode == Int32(kSCStatusInvalidArgument))
    }

    @Test("R8, R42: a pair without addresses, or with an invalid one, is a typed error")
    func invalidPair() {
        let sides: [(String?, String?)] = [(nil, nil), ("localhost", nil), (nil, "x"), ("127.0.0.1", "")]
        for (local, remote) in sides {
            let error = #expect(throws: NetworkReachabilityError.self) {
                _ = try NetworkReachabilityManager(forLocalAddress: local, remoteAddress: remote)
            }
            #expect(error?.code == .invalidAddressPair)
        }
    }

    private func withSocketAddress<Result>(
        _ address: inout sockaddr_in,
        _ body: (UnsafePointer<sockaddr>) throws(NetworkReachabilityError) -> Result
    ) throws(NetworkReachabilityError) -> Result {
        try unsafe withUnsafePointer(to: &address) { pointer throws(NetworkReachabilityError) in
            let rebound = unsafe UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
            return try unsafe body(rebound)
        }
    }
}
