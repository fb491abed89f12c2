// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import LinuxIO

/// A source of targets outside this machine's files.
///
/// It works on its own threads; both methods return at once.
package protocol DiscoverySource: AnyObject, Sendable {
    /// Starts to look; once.
    ///
    /// - Parameter report: receives each result, in order, on a thread of the source. A result after ``stop()`` is ignored.
    func start(_ report: @escaping @Sendable (SourceReport) -> Void)

    /// Stops to look; a request in progress ends within seconds. A second call does nothing.
    func stop()
}

/// The settings of a source. Sources with equal settings are the same.
package protocol DiscoverySourceSettings: Sendable, Hashable {
    /// Creates the source; nothing happens before ``DiscoverySource/start(_:)``.
    func makeSource() -> any DiscoverySource
}

/// The result of a look.
package struct SourceReport: Sendable {
    /// All items that exist now, each address once or more; nil if they are unchanged or, with an error, unknown: those of the
    /// last report remain.
    package var items: [DiscoveredItem]?
    /// The error of this look; nil if it succeeded.
    package var error: SourceError?
    /// Messages for the operator about ignored parts; each is logged once while it is repeated.
    package var notes: [LogMessage]

    /// Creates a report.
    package init(items: [DiscoveredItem]? = nil, error: SourceError? = nil, notes: [LogMessage] = []) {
        self.items = items
        self.error = error
        self.notes = notes
    }
}
