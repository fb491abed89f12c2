// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
    /// Whether sysfs was found for interface types.
    public var hasSysfs: Bool = false
    /// The inode of the network namespace that is watched.
    public var namespaceInode: UInt64 = 0

    /// Creates zeroed statistics.
    public init() {}
}
