// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import SystemConfiguration
import TestSupport
import Testing

@Suite struct QueueDeliveryTests {
    private let hub: SharedPathEngine
    private let engine: ScriptedPathEngine
    private let queue = DispatchQueue(label: "client")
    private let log = CallLog()

    init() throws {
        (hub, engine) = try ScriptedPathEngine.makeHub()
        queue.setSpecific(key: CallLog.queueLabel, value: "client")
    }

    private func scheduled(_ target: PathTarget = .defaultPath()) -> SCNetworkReachability {
        let target = SCNetworkReachability(PathRequest(target), hub: hub)
        unsafe SCNetworkReachabilitySetCallback(target, log.callback, nil)
        #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
        return target
    }

    private func end(_ target: SCNetworkReachability) {
        #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
    }

    @Test("R56: an address target is guaranteed no call-out")
    func addressFirst() {
        let target = scheduled()
        engine.emit(NetworkPath(flags: .reachable), trigger: .initial)
        queue.sync {}
        #expect(log.flags.isEmpty)
        end(target)
    }

    @Test("R56: a name is guaranteed one call-out, with unchanged flags too")
    func nameFirst() {
        let target = scheduled(.name("example.org"))
        engine.emit(NetworkPath(flags: .reachable), trigger: .initial)
        engine.emit(NetworkPath(flags: .reachable))
        queue.sync {}
        #expect(log.flags == [.reachable])
        end(target)
    }

    @Test("R56: the first verdict may come before scheduling returns")
    func earlyFirst() {
        engine.firstVerdict = NetworkPath(flags: .reachable)
        let target = scheduled(.name("example.org"))
        queue.sync {}
        #expect(log.flags == [.reachable])
        end(target)
    }

    @Test("R56: a flags query while scheduled cancels the name's guarantee")
    func queryCancels() {
        let target = scheduled(.name("example.org"))
        var flags = SCNetworkReachabilityFlags()
        #expect(unsafe SCNetworkReachabilityGetFlags(target, &flags))
        engine.emit(NetworkPath(flags: .reachable), trigger: .initial)
        queue.sync {}
        #expect(log.flags.isEmpty)
        engine.emit([])
        queue.sync {}
        #expect(log.flags == [[]])
        end(target)
    }

    @Test("R57: a change between scheduling and the first verdict is delivered")
    func changeBeforeFirst() {
        let target = scheduled()
        engine.emit(NetworkPath(flags: []), trigger: .initial)
        queue.sync {}
        #expect(log.flags == [[]])
        end(target)
    }

    @Test("R57: flags, interface index or number of addresses make a call-out, nothing else does")
    func changes() throws {
        let target = scheduled(.name("example.org"))
        let address = try #require(IPAddress("192.0.2.1"))
        let other = try #require(IPAddress("192.0.2.2"))
        var path = NetworkPath(flags: .reachable, resolution: Resolution(state: .pending))
        engine.emit(path, trigger: .initial)
        path.interface = NetworkInterface(name: "eth0", index: 2, type: .wiredEthernet)
        engine.emit(path)
        path.interface = NetworkInterface(name: "eth0", index: 2, type: .wifi)
        path.gateway = address
        path.sourceAddress = other
        path.resolution = Resolution(state: .complete)
        engine.emit(path)
        path.resolution.addresses = [address]
        engine.emit(path)
        path.resolution.addresses = [other]
        engine.emit(path)
        path.flags = [.reachable, .isDirect]
        engine.emit(path)
        queue.sync {}
        #expect(log.flags == [.reachable, .reachable, .reachable, [.reachable, .isDirect]])
        end(target)
    }

    @Test("R66: the interface of an unreachable path counts for nothing")
    func deadInterface() {
        let target = scheduled()
        engine.emit(NetworkPath(flags: [], unsatisfiedReason: .noRoute))
        let dead = NetworkInterface(name: "eth0", index: 2, type: .wiredEthernet)
        engine.emit(NetworkPath(flags: [], unsatisfiedReason: .linkDown, interface: dead))
        queue.sync {}
        #expect(log.flags == [[]])
        end(target)
    }

    @Test("A kernel that refuses to answer causes no delivery; the next verdict does")
    func refusal() {
        let target = scheduled(.name("example.org"))
        engine.emit(NetworkPath(flags: [], unsatisfiedReason: .kernelRefused))
        var flags: SCNetworkReachabilityFlags = .reachable
        #expect(unsafe !SCNetworkReachabilityGetFlags(target, &flags))
        #expect(flags == [])
        engine.emit(.reachable)
        queue.sync {}
        #expect(log.flags == [.reachable])
        end(target)
    }

    @Test("R62: every update is a call-out of its own, in order, on the client's queue")
    func notCoalesced() {
        let target = scheduled()
        queue.suspend()
        for flags: SCNetworkReachabilityFlags in [[], .reachable, [], .reachable] { engine.emit(flags) }
        queue.resume()
        queue.sync {}
        #expect(log.flags == [[], .reachable, [], .reachable])
        #expect(Set(log.all.map(\.queueLabel)) == ["client"])
        end(target)
    }

    @Test("R60: nothing is called out once the target is unscheduled")
    func recheck() {
        let target = scheduled()
        queue.suspend()
        engine.emit([])
        end(target)
        queue.resume()
        queue.sync {}
        #expect(log.flags.isEmpty)
    }

    @Test("R60, R63: a pending delivery of an earlier scheduling does not reach the next")
    func staleAcrossRestart() {
        let target = scheduled()
        queue.suspend()
        engine.emit([])
        end(target)
        #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
        queue.resume()
        queue.sync {}
        #expect(log.flags.isEmpty)
        end(target)
    }

    @Test("R63: rescheduling starts clean: a new watch, a new guarantee, a new baseline")
    func restart() {
        let target = scheduled(.name("example.org"))
        engine.emit(.reachable)
        queue.sync {}
        end(target)
        #expect(engine.counts.removed == 1)
        #expect(engine.watched.isEmpty)
        engine.evaluation = NetworkPath(flags: [])
        #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
        #expect(engine.counts.added == 2)
        engine.emit([])
        queue.sync {}
        #expect(log.flags == [.reachable, []])
        end(target)
    }

    @Test("R60: a target may be unscheduled and scheduled from inside its own call-out")
    func fromInside() {
        let log = log
        let queue = queue
        let target = SCNetworkReachability(PathRequest(.defaultPath()), hub: hub)
        unsafe SCNetworkReachabilitySetCallback(
            target,
            { target, flags, _ in
                log.record(flags)
                SCNetworkReachabilitySetDispatchQueue(target, nil)
                SCNetworkReachabilitySetDispatchQueue(target, queue)
            },
            nil
        )
        SCNetworkReachabilitySetDispatchQueue(target, queue)
        engine.emit([])
        queue.sync {}
        engine.emit([.reachable, .isDirect])
        queue.sync {}
        #expect(log.flags == [[], [.reachable, .isDirect]])
        end(target)
    }
}
