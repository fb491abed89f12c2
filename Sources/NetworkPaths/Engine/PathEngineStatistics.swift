// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Synchronization

/// What the engine did and could see since it started; read from any thread.
public struct PathEngineStatistics: Sendable, Hashable {
    /// Netlink messages read.
    public var messages: UInt64 = 0
    /// How often the kernel dropped messages (`ENOBUFS`); each was followed by a full pass.
    public var overruns: UInt64 = 0
    /// Passes made.
    public var passes: UInt64 = 0
    /// Verdicts computed.
    public var verdicts: UInt64 = 0
    /// The receive buffer that the kernel granted, in bytes.
    public var receiveBuffer: Int = 0
    /// The rtnetlink groups that were joined, by their kernel numbers.
    public var groups: [UInt32] = []
    /// The same by their names in lower case, such as `link` and `ipv4_route`.
    public var groupNames: [String] = []
    /// When messages were read last, in milliseconds since 1970; nil before the first ones.
    public var lastMessage: Int64?
    /// Whether sysfs was found for interface types.
    public var hasSysfs: Bool = false
    /// The inode of the network namespace that is watched.
    public var namespaceInode: UInt64 = 0
    /// Its name under `/run/netns` (ip-netns(8)); nil for one that has none there.
    public var namespaceName: String?

    /// Creates zeroed statistics.
    public init() {}
}

/// What other threads may read of the engine.
final class SharedStatistics: Sendable {
    private let state = Mutex((statistics: PathEngineStatistics(), environment: NetworkEnvironment()))

    var statistics: PathEngineStatistics { state.withLock { $0.statistics } }
    var environment: NetworkEnvironment { state.withLock { $0.environment } }

    func update(_ change: (inout PathEngineStatistics) -> Void) {
        state.withLock { change(&$0.statistics) }
    }

    func set(_ environment: NetworkEnvironment) {
        state.withLock { $0.environment = environment }
    }
}
