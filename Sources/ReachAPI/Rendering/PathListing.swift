// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
package import Monitoring
package import NetworkPaths

/// Paths outside the service, in the HTTP API's format: the output of `reachd path --json`.
package enum PathListing {
    /// A target and its path.
    package struct Entry: Sendable {
        /// The target as it was written.
        package var target: String
        /// The path; nil if it was not evaluated.
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

    /// One object with a timestamp, for a stream of lines, without a line feed.
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
