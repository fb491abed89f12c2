// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// The incidents of the public status page as an Atom feed (RFC 4287).
enum PublicFeed {
    /// - Parameter start: when the service started, for a feed without entries.
    static func render(_ page: PublicSnapshot, start: Timestamp) -> [UInt8] {
        let title = Markup.escape(page.settings.title)
        let incidents = page.incidents.sorted { ($0.updatedAt, $0.id) > ($1.updatedAt, $1.id) }
        let identity = PreparedAnswer.digest(
            of: Array(([page.settings.title] + page.settings.groups).joined(separator: "\n").utf8)
        )
        var text = """
            <?xml version="1.0" encoding="utf-8"?>
            <feed xmlns="http://www.w3.org/2005/Atom">
            <id>urn:reachd:public:\(identity)</id><title>\(title)</title><updated>\(incidents.first?.updatedAt ?? start)</updated>
            <author><name>\(title)</name></author><link rel="self" href="feed.atom"/><link rel="alternate" href="../public"/>

            """
        for incident in incidents {
            let state = incident.closedAt.map { "Resolved at \($0)." } ?? "Not resolved yet."
            let lines =
                ["Since \(incident.begunAt). \(state)"] + incident.announcements.map { "\($0.at): \($0.text)" }
            text += """
                <entry><id>urn:reachd:incident:\(Markup.escape(incident.id))</id>\
                <title>\(Markup.escape(incident.title))</title><link rel="alternate" href="../public"/>\
                <published>\(incident.openedAt)</published><updated>\(incident.updatedAt)</updated>\
                <content type="text">\(Markup.escape(lines.joined(separator: "\n\n")))</content></entry>

                """
        }
        return Array((text + "</feed>\n").utf8)
    }
}
