// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Echo requests and what may be missing of their replies.
public struct ICMPProbeSettings: Sendable, Hashable {
    /// How many requests; 1 to 1,000.
    public var count: Int
    /// The time from one request to the next; the last waits for its reply until the run's timeout.
    public var spacing: Duration
    /// The bytes after the ICMP header, 0 to 65,000.
    public var size: Int
    /// The time to live, or hop limit, 1 to 255; nil is the system's.
    public var timeToLive: UInt8?
    /// Whether a packet that is too big is refused rather than cut in pieces.
    public var dontFragment: Bool
    /// The share of lost requests, 0 to 1, above which the run is `degraded`.
    public var degradedLoss: Double
    /// The share of lost requests, 0 to 1, above which the run is a failure; losing all always is.
    public var failedLoss: Double

    /// Creates settings; everything has a default.
    public init(
        count: Int = 1,
        spacing: Duration = .milliseconds(200),
        size: Int = 56,
        timeToLive: UInt8? = nil,
        dontFragment: Bool = false,
        degradedLoss: Double = 0,
        failedLoss: Double = 1
    ) {
        self.count = count
        self.spacing = spacing
        self.size = size
        self.timeToLive = timeToLive
        self.dontFragment = dontFragment
        self.degradedLoss = degradedLoss
        self.failedLoss = failedLoss
    }
}
