// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How many probes may run at the same time.
///
/// The limit in total bounds descriptors and memory. It delays no probe while it is above probes a second × timeout; below that an
/// outage of everything delays the first probes that meet it, until the targets in ``slowLane`` are known. The limit for an address
/// protects the host from bursts and delays no probe by more than a second (``StartLane``).
package struct StartLimits: Sendable, Hashable {
    /// 4,096 in total, 2 for an address.
    package static let standard = StartLimits(uncheckedTotal: 4096, perAddress: 2)

    /// In total.
    package var total: Int
    /// For one address, before further probes of it are spaced out.
    package var perAddress: Int

    /// Checks and creates limits.
    ///
    /// - Throws: `limits` when one is below 1 or that of an address is above the total.
    package init(total: Int, perAddress: Int) throws(VerdictSettingsError) {
        guard total >= 1, perAddress >= 1, perAddress <= total else { throw VerdictSettingsError(code: .limits) }
        self.init(uncheckedTotal: total, perAddress: perAddress)
    }

    private init(uncheckedTotal: Int, perAddress: Int) {
        total = uncheckedTotal
        self.perAddress = perAddress
    }

    /// How many of the running probes may be of targets whose last one timed out: half of the total. However many targets
    /// are silent, and hold descriptors until their timeouts, the others have the other half.
    package var slowLane: Int { max(total / 2, 1) }
}
