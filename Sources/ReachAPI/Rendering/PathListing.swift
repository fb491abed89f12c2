// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
package import Monitoring
package import NetworkPaths

/// Paths outside the service, in the words of the HTTP interface: what `reachd path --json` prints.
package enum PathListing {
    /// A target as it was written, with its verdict.
    package struct Entry: Sendable {
        /// The target as it was written.
        package var target: String
        /// The verdict; nil when there is none.
        package var path: NetworkPath?

        /// Creates an entry.
        package init(target: String, path: NetworkPath?) {
            self.target = target
            self.path = path
        }
    }

    /// `{"paths": [{"target": …, the status block}]}`, without a line feed.
    package static func document(_ entries: [Entry], supportsDNS: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.key("paths")
            writer.array(entries) { writer, entry in
                writer.object { writer in
                    writer.member("target", entry.target)
                    writer.statusBlock(entry.path, supportsDNS: supportsDNS)
                }
            }
        }
        return writer.bytes
    }

    /// One object with the moment, for a stream of lines, without a line feed.
    package static func line(_ entry: Entry, at moment: Timestamp, supportsDNS: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("at", moment)
            writer.member("target", entry.target)
            writer.statusBlock(entry.path, supportsDNS: supportsDNS)
        }
        return writer.bytes
    }
}
