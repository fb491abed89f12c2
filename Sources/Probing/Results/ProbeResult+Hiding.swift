// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension ProbeResult {
    /// The same result without what says where the target is: addresses, URLs, answers of the DNS, certificates, and sentences that
    /// name them. Outcome, reason, times and numbers stay.
    package var hidingAddress: ProbeResult {
        var result = self
        result.detail = reason.map { $0.rawValue.split(separator: "_").joined(separator: " ") } ?? "the target answered"
        result.address = nil
        result.addresses = []
        result.answers = answers.hidingAddress
        result.tls = nil
        return result
    }
}
