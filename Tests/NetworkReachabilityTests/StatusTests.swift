// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import NetworkReachability
import SystemConfiguration
import Testing

@Suite("Status")
struct StatusTests {
    @Test("R1: raw values are the original's")
    func rawValues() {
        #expect(NetworkReachabilityStatus.unknown.rawValue == -1)
        #expect(NetworkReachabilityStatus.notReachable.rawValue == 0)
        #expect(NetworkReachabilityStatus.reachableViaWWAN.rawValue == 1)
        #expect(NetworkReachabilityStatus.reachableViaWiFi.rawValue == 2)
    }

    @Test(
        "R2: display strings; anything else is Unknown",
        arguments: [
            (-1, "Unknown"), (0, "Not Reachable"), (1, "Reachable via WWAN"), (2, "Reachable via WiFi"),
            (3, "Unknown"), (-2, "Unknown"), (.max, "Unknown"), (.min, "Unknown"),
        ]
    )
    func displayStrings(rawValue: Int, text: String) {
        #expect(NetworkReachabilityStatus.localizedString(forRawValue: rawValue) == text)
    }

    @Test("R2: the strings come from the table NetworkReachability; without an entry they are English")
    func translation() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).bundle")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try ##""Not Reachable" = "Nicht erreichbar";"##
            .write(to: folder.appendingPathComponent("NetworkReachability.strings"), atomically: true, encoding: .utf8)
        let bundle = try #require(Bundle(url: folder))
        #expect(NetworkReachabilityStatus.notReachable.localizedString(bundle: bundle) == "Nicht erreichbar")
        #expect(NetworkReachabilityStatus.unknown.localizedString(bundle: bundle) == "Unknown")
    }

    @Test(
        "R3: only the two reachable states are reachable",
        arguments: [
            (NetworkReachabilityStatus.unknown, false), (.notReachable, false),
            (.reachableViaWWAN, true), (.reachableViaWiFi, true),
        ]
    )
    func derived(status: NetworkReachabilityStatus, isReachable: Bool) {
        #expect(status.isReachable == isReachable)
    }

    @Test("F5: flags to status", arguments: vectors)
    func vector(flags: UInt32, status: Int) {
        #expect(NetworkReachabilityStatus(flags: SCNetworkReachabilityFlags(rawValue: flags)).rawValue == status)
    }

    @Test("F2–F4: the decision, for all combinations of the relevant bits")
    func decision() {
        for bits in 0..<UInt32(64) {
            let isReachable = bits & 1 != 0
            let isRequired = bits & 2 != 0
            let isAutomatic = bits & (4 | 16) != 0
            let needsIntervention = bits & 8 != 0
            let isCellular = bits & 32 != 0
            // The table of F4, row by row.
            let isUsable =
                switch (isReachable, isRequired, isAutomatic, needsIntervention) {
                case (false, _, _, _): false
                case (true, false, _, _): true
                case (true, true, false, _): false
                case (true, true, true, let intervention): !intervention
                }
            let flags = SCNetworkReachabilityFlags(rawValue: (bits & 31) << 1 | (isCellular ? 0x40000 : 0))
            let expected: NetworkReachabilityStatus =
                !isUsable ? .notReachable : isCellular ? .reachableViaWWAN : .reachableViaWiFi
            #expect(NetworkReachabilityStatus(flags: flags) == expected, "flags \(flags.rawValue)")
        }
    }

    @Test("F6: unknown bits are ignored")
    func unknownBits() {
        for bit in [6, 15, 19, 23, 24, 31] {
            let flags = SCNetworkReachabilityFlags(rawValue: 1 << UInt32(bit))
            #expect(NetworkReachabilityStatus(flags: flags) == .notReachable)
            #expect(NetworkReachabilityStatus(flags: flags.union(.reachable)) == .reachableViaWiFi)
        }
    }

    @Test("F7: where a connection is required and needs a hand, cellular or not, it is not reachable")
    func cellularNeedsTouch() {
        for flags: UInt32 in [0x40006, 0x40016, 0x40036, 0x4001e, 0x4003e] {
            #expect(NetworkReachabilityStatus(flags: SCNetworkReachabilityFlags(rawValue: flags)) == .notReachable)
        }
    }

    private static let vectors: [(UInt32, Int)] = [
        (0x0, 0), (0x1, 0), (0x2, 2), (0x3, 2), (0x4, 0), (0x6, 0), (0x7, 0), (0x8, 0), (0xa, 2), (0xe, 2), (0xf, 2),
        (0x12, 2), (0x16, 0), (0x1e, 0), (0x20, 0), (0x22, 2), (0x26, 2), (0x27, 2), (0x2e, 2), (0x36, 0), (0x37, 0),
        (0x3e, 0), (0x10000, 0), (0x10002, 2), (0x20002, 2), (0x30002, 2), (0x40000, 0), (0x40002, 1), (0x40003, 1),
        (0x40006, 0), (0x40007, 0), (0x4000e, 1), (0x40016, 0), (0x4001e, 0), (0x40027, 1), (0x40037, 0),
    ]
}
