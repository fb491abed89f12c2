// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths
import Synchronization

/// Stands in for the path engine: hands out handles and tells nothing by itself.
final class FakeSource: PathSource {
    struct State {
        var lastID: UInt32 = 0
        var requests: [PathID: PathRequest] = [:]
        var removed: [PathID] = []
    }

    let state = Mutex(State())
    /// Runs inside each addition, before its handles are known to anybody: the engine may be that fast.
    let whileAdding = Mutex<@Sendable ([PathID]) -> Void>({ _ in })

    func add(_ requests: [PathRequest]) -> [PathID] {
        let ids = state.withLock { state in
            requests.map { request in
                state.lastID += 1
                let id = PathID(rawValue: state.lastID)
                state.requests[id] = request
                return id
            }
        }
        whileAdding.withLock { $0 }(ids)
        return ids
    }

    func remove(_ ids: [PathID]) {
        state.withLock { state in
            for id in ids { state.requests[id] = nil }
            state.removed += ids
        }
    }

    /// The handle of the newest addition that asks this.
    func id(_ request: PathRequest) -> PathID? {
        state.withLock { state in
            state.requests.filter { $0.value == request }.map(\.key).max { $0.rawValue < $1.rawValue }
        }
    }
}

/// Time that stands until a test moves it.
final class FakeClock: WallClock {
    private let time: Mutex<Int64>

    init(_ milliseconds: Int64 = 1_795_000_000_123) {
        time = Mutex(milliseconds)
    }

    func now() -> Timestamp { Timestamp(milliseconds: time.withLock { $0 }) }

    func advance(milliseconds: Int64) { time.withLock { $0 += milliseconds } }
}

extension NetworkPath {
    /// Through eth0, as a routed target is reached.
    static func up(gateway: String = "192.0.2.1", generation: UInt32 = 1) -> NetworkPath {
        NetworkPath(
            flags: .reachable,
            interface: NetworkInterface(name: "eth0", index: 2, type: .wiredEthernet),
            sourceAddress: IPAddress("192.0.2.7"),
            gateway: IPAddress(gateway),
            supportsIPv4: true,
            generation: generation
        )
    }

    /// Through a modem.
    static var cellular: NetworkPath {
        NetworkPath(
            flags: [.reachable, .isWWAN, .transientConnection],
            interface: NetworkInterface(name: "wwan0", index: 5, type: .cellular),
            isExpensive: true,
            supportsIPv4: true,
            generation: 2
        )
    }

    /// Nowhere.
    static func down(_ reason: UnsatisfiedReason = .noRoute) -> NetworkPath {
        NetworkPath(flags: [], unsatisfiedReason: reason, generation: 3)
    }
}

extension TargetSettings {
    /// An address target named by the last byte of its address.
    static func address(
        _ id: String,
        _ text: String = "198.51.100.1",
        group: String? = nil,
        tags: [String: String] = [:]
    )
        -> TargetSettings
    {
        TargetSettings(
            id: id,
            request: PathRequest(.address(IPAddress(text) ?? IPAddress(ipv4: 0))),
            text: text,
            group: group,
            tags: tags,
            origin: .config
        )
    }
}
