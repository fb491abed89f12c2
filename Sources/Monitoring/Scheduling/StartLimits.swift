// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How many probes may run at the same time.
///
/// The cap in all guards descriptors and memory. It delays nobody while it is above probes a second × timeout; below that an
/// outage of everything delays the first probes that meet it, until ``suspects`` are known.
public struct StartLimits: Sendable, Hashable {
    /// 4,096 in all, 2 for an address.
    public static let standard = StartLimits(uncheckedTotal: 4096, perAddress: 2)

    /// In all.
    public let total: Int
    /// For one address.
    public let perAddress: Int

    /// Checks and creates limits.
    ///
    /// - Throws: `limits` when one is below 1 or that of an address is above that of all.
    public init(total: Int, perAddress: Int) throws(VerdictSettingsError) {
        guard total >= 1, perAddress >= 1, perAddress <= total else { throw VerdictSettingsError(code: .limits) }
        self.init(uncheckedTotal: total, perAddress: perAddress)
    }

    private init(uncheckedTotal: Int, perAddress: Int) {
        total = uncheckedTotal
        self.perAddress = perAddress
    }

    /// How many of the probes that run may be of targets whose last one timed out: half of all, so that however many are out of
    /// order, the others keep the other half.
    public var suspects: Int { max(total / 2, 1) }
}
