// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import SystemConfiguration
import Testing

/// That the files beside this one compile is half of the test; here they run, against the kernel and loopback.
@Suite struct AppleSourceTests {
    @Test("Apple's sample class: loopback by address and by name")
    func sample() throws {
        let byName = try #require(SampleReachability(hostName: "127.0.0.1"))
        #expect(byName.currentReachabilityStatus == .reachableViaWiFi)
        #expect(!byName.connectionRequired)
        #expect(SampleReachability(hostName: "") == nil)
        #expect(SampleReachability.forInternetConnection() != nil)
        #expect(SampleReachability.forLocalWiFi() != nil)
    }

    @Test("Apple's sample class: a name is reported once on the current run loop")
    func sampleNotifier() throws {
        let reachability = try #require(SampleReachability(hostName: "localhost"))
        final class Flag { var isSet = false }
        let told = Flag()
        let token = NotificationCenter.default.addObserver(
            forName: kReachabilityChangedNotification,
            object: reachability,
            queue: nil
        ) { _ in told.isSet = true }
        #expect(reachability.startNotifier())
        while !told.isSet {
            #expect(RunLoop.current.run(mode: .default, before: .distantFuture))
        }
        reachability.stopNotifier()
        NotificationCenter.default.removeObserver(token)
    }

    @Test("A queue wrapper: flags, a name's call-out, and no leak")
    func queueWrapper() throws {
        let told = DispatchSemaphore(value: 0)
        weak var seen: QueueReachability?
        do {
            let reachability = try QueueReachability(hostname: "127.0.0.1")
            seen = reachability
            reachability.whenReachable = { _ in told.signal() }
            try reachability.startNotifier()
            #expect(told.wait(timeout: .now() + 30) == .success)
            #expect(reachability.connection == .wifi)
            #expect(reachability.flags == [.reachable, .isLocalAddress, .isDirect])
            reachability.stopNotifier()
        }
        #expect(seen == nil)
        #expect(QueueReachability.lastErrorText == "Invalid argument")
        #expect(throws: ReachabilityError.self) { try QueueReachability(hostname: "") }
        _ = try QueueReachability()
    }

    @Test("A session manager: the listener receives the first status")
    func sessionManager() throws {
        let manager = try #require(SessionReachabilityManager(host: "127.0.0.1"))
        let queue = DispatchQueue(label: "listener")
        let told = DispatchSemaphore(value: 0)
        let isListening = manager.startListening(onQueue: queue) { status in
            #expect(status == .reachable(.ethernetOrWiFi))
            told.signal()
        }
        #expect(isListening)
        #expect(told.wait(timeout: .now() + 30) == .success)
        #expect(manager.flags?.readableDescription == "-R -----ld-")
        manager.stopListening()
        #expect(SessionReachabilityManager() != nil)
    }

    @Test("The small snippets agree with one another")
    func snippets() throws {
        let any = try #require(reachabilityOfAnyFamily())
        var flags = SCNetworkReachabilityFlags()
        #expect(SCNetworkReachabilityGetFlags(any, &flags))
        #expect(isConnectedToNetwork() == (flags.contains(.reachable) && !flags.contains(.connectionRequired)))
        let pair = try #require(reachabilityOfLoopbackPair())
        #expect(SCNetworkReachabilityGetFlags(pair, &flags))
        #expect(flags == [.reachable, .isLocalAddress, .isDirect])
        #expect(watchOnMainRunLoop(pair))
    }
}
