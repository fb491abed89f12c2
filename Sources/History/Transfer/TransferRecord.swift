// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// One line of an export.
package enum TransferRecord: Sendable, Equatable {
    /// An event of the log.
    case event(RecordedEvent)
    /// Events that are missing in it.
    case gap(EventGap)
    /// A minute, an hour or a day of a target.
    case rollup(RollupResolution, RollupPiece)
}
