// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import BlockingHTTP
import JSON
import Monitoring

/// The newest events of a service, as lines.
struct RecentEvents {
    /// How many events back it looks.
    private static let depth = 500
    private static let types = ["state", "reachability", "config", "certificate", "target"]
    /// The most bytes to read.
    private static let byteLimit = 8 << 20

    private let client: ServiceClient
    private let path: String

    init(_ client: ServiceClient, hasIncidents: Bool, scope: ScopeOptions) {
        var query = URLQuery()
        query.add("event", each: Self.types + (hasIncidents ? ["incident"] : []))
        query.add("distinct", "true")
        query.add("follow", "false")
        scope.add(to: &query)
        self.client = client
        path = "/events" + query.text
    }

    /// - Parameters:
    ///   - status: The answer to `GET /status`, which has the number of the newest event.
    ///   - digest: What makes lines of them.
    /// - Returns: Lines in groups of one event each, oldest first; none when the service does not answer.
    func lines(_ status: JSONValue, _ digest: any EventDigest) -> [[String]] {
        guard let epoch = status["epoch"]?.text, epoch.utf8.allSatisfy({ (0x30...0x7A).contains($0) }),
            let newest = status["sequence"]?.integer, newest > 0
        else { return [] }
        var digest = digest
        var reader = EventStreamReader()
        var groups: [[String]] = []
        var (bytes, isLost) = (0, false)
        func take(_ lines: [String]) {
            // Further lines of a wrapped one begin with blanks.
            for line in lines {
                if line.hasPrefix("  "), !groups.isEmpty {
                    groups[groups.count - 1].append(line)
                } else {
                    groups.append([line])
                }
            }
        }
        let start = "\(epoch)-\(max(newest - Self.depth, 1))"
        _ = try? client.stream(path, headers: ["Last-Event-ID: \(start)"], silence: .seconds(5)) { piece in
            bytes += piece.count
            for event in reader.read(piece) {
                // Behind a gap there is the current state, and no event.
                if event.type == "reset" || event.type == "lagged" { isLost = true }
                guard event.type != "snapshot", let data = try? JSONValue(reading: event.data) else { continue }
                take(digest.take(event.type, data, now: 0))
            }
            return bytes <= Self.byteLimit && !isLost && !reader.isTooLarge
        }
        take(digest.settle(now: .max))
        return groups
    }
}
