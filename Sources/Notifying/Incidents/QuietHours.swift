// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// When a receiver is notified only of what is bad enough.
package struct QuietHours: Sendable, Hashable {
    /// The times.
    package var windows: [MaintenanceWindow] = []
    /// What is sent at these times, too; nil: nothing is.
    package var exception: Severity? = .critical

    /// None.
    package init() {}

    /// When a message may be sent.
    ///
    /// - Parameters:
    ///   - severity: how bad it is.
    ///   - moment: now, in milliseconds since 1970.
    /// - Returns: The time, `moment` itself for now.
    func earliest(_ severity: Severity, at moment: Int64) -> Int64 {
        if let exception, severity >= exception { return moment }
        var time = moment
        // Windows may overlap and follow each other.
        for _ in 0..<Self.turns {
            guard let window = windows.first(where: { $0.isActive(at: time) }) else { return time }
            guard let end = window.nextChange(after: time) else { return time }
            time = end
        }
        return time
    }

    private static let turns = 16
}
