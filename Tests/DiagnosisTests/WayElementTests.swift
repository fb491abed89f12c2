// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Testing

@testable import Diagnosis

@Suite("Elements of the way to silent targets")
struct WayElementTests {
    /// `router 2: 6 of 6 silent, reached 11, passed 1, fault`.
    private func texts(_ ways: WayElements) -> [String] {
        ways.elements.map { element in
            let name =
                switch element.kind {
                case .gateway: "gateway"
                case .router: "router \(element.hop)"
                case .network(let prefix): "\(prefix)"
                case .host: "host \(element.addresses[0])"
                }
            let times = [("reached", element.reachedAt), ("passed", element.passedAt)].compactMap { verb, moment in
                moment.map { ", \(verb) \($0)" }
            }
            let fault = element.fault == nil ? "" : element.isForwardingFault ? ", forwards nothing" : ", fault"
            return "\(name): \(element.silent) of \(element.targets) silent\(times.joined())\(fault)"
        }
    }

    @Test("A way ends at the element at fault; each has its targets, the silent ones, and its newest packets")
    func path() {
        var scene = DiagnosisScene()
        scene.silent(301, 302, 401, at: 10)
        scene.answered(101, at: 12)
        scene.traced(301, behind: 2, at: 11)
        #expect(scene.reading(301) == "trace behind 2, before 3")
        let ways = scene.diagnosis.elements(of: [301, 302, 401], isHost: false)
        #expect(
            texts(ways) == [
                "gateway: 3 of 8 silent, reached 12, passed 12", "router 2: 3 of 6 silent, reached 11, passed 1",
                "router 3: 3 of 4 silent, reached 1, passed 1, fault",
            ]
        )
        #expect(ways.considered == 3 && ways.since == 10 && ways.isCountComplete)
        #expect(ways.elements[1].answeredAt == 11 && ways.elements[2].addresses == DiagnosisScene.routers[2].addresses)
    }

    @Test("A router that leads nothing on is at fault itself, with the hosts that show it")
    func forwarding() {
        var scene = DiagnosisScene()
        scene.silent(301, 401, at: 10)
        #expect(scene.reading(301) == "silence behind 3")
        let ways = scene.diagnosis.elements(of: [301, 401], isHost: false)
        #expect(texts(ways).last == "router 3: 2 of 4 silent, reached 1, passed 1, forwards nothing")
        #expect(ways.elements.last?.suspects == 2)
    }

    @Test("For a host the way goes on to it, past its network")
    func host() {
        var scene = DiagnosisScene()
        scene.silent(301, at: 10)
        scene.answered(302, at: 11)
        let ways = scene.diagnosis.elements(of: [301], isHost: true)
        #expect(
            texts(ways).suffix(2) == [
                "10.3.0.0/24: 1 of 2 silent, reached 11, passed 11", "host 10.3.0.1: 1 of 1 silent",
            ]
        )
    }

    @Test("Targets that answer, and unknown ones, have no elements; asking changes nothing")
    func none() {
        var scene = DiagnosisScene()
        scene.silent(301, 302, at: 10)
        let before = scene.diagnosis.faultCount
        let ways = scene.diagnosis.elements(of: [101, 999], isHost: false)
        #expect(ways.elements.isEmpty && ways.considered == 0 && ways.since == nil)
        #expect(scene.diagnosis.elements(of: [301, 302], isHost: false).considered == 2)
        #expect(scene.diagnosis.faultCount == before)
    }

    @Test("At most 256 targets, 8 ways and 10,000 elements are considered")
    func bounds() {
        var diagnosis = NetworkDiagnosis()
        func host(_ id: UInt64) -> IPAddress { IPAddress(ipv4: 0x0A00_0001 + UInt32(id) << 8) }
        for id in 0..<12_000 as Range<UInt64> { diagnosis.silent(id, host(id), DiagnosisScene.gateway, at: 1) }
        let ways = diagnosis.elements(of: 0..<12_000, isHost: false)
        #expect(ways.considered == 8 && ways.elements.count == 9 && !ways.isCountComplete)
        #expect(ways.elements.first.map { 9_000...10_000 ~= $0.targets } == true)
        for id in 12_000..<13_000 as Range<UInt64> {
            diagnosis.silent(id, DiagnosisScene.address("192.168.0.1"), DiagnosisScene.gateway, at: 1)
        }
        #expect(diagnosis.elements(of: 12_000..<13_000, isHost: true).considered == 256)
    }
}
