// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import ServerTrust

/// The public status page as HTML: one document without scripts, whose style is allowed by its hash alone.
enum PublicDocument {
    private static let style = """
        :root{color-scheme:light dark;--up:#1a7f37;--fair:#bf8700;--bad:#cf222e;--off:#8250df;--dim:#6e7781;--line:#d0d7de}
        @media(prefers-color-scheme:dark){:root{--up:#3fb950;--fair:#d29922;--bad:#f85149;--off:#a371f7;--dim:#8b949e;--line:#30363d}}
        body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:46rem;padding:1.5rem}
        h1{font-size:1.4rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}a{color:inherit}
        .head{border-left:.4rem solid;font-size:1.3rem;padding:.6rem 1rem}
        .up{color:var(--up)}.degraded{color:var(--fair)}.down{color:var(--bad)}.unreachable{color:var(--off)}
        .maintenance,.paused,.unknown,.dim{color:var(--dim)}
        ul{list-style:none;margin:0;padding:0}li{border-top:1px solid var(--line);padding:.6rem 0}
        .row{display:flex;gap:1rem;justify-content:space-between}.name{overflow-wrap:anywhere}
        svg{display:block;height:1.4rem;width:100%}.l0{fill:var(--line)}.l1{fill:var(--up)}.l2{fill:var(--fair)}.l3{fill:var(--bad)}
        p{margin:.3rem 0}.text{overflow-wrap:anywhere;white-space:pre-line}footer{margin-top:3rem}
        """

    /// The headers besides those of every response: nothing is loaded or run but the style of this hash.
    static let policy: String = {
        let digest = SHA256.digest(of: Array(style.utf8)).flatMap(PublicKeyDigest.init(bytes:))
        let hash = digest.map { "'sha256-\($0.description.dropFirst("sha256/".count))'" } ?? "'none'"
        return "default-src 'none'; style-src \(hash); base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }()

    static func render(_ page: PublicSnapshot) -> [UInt8] {
        let title = Markup.escape(page.settings.title)
        let heading = page.settings.link.map { "<a href=\"\(Markup.escape($0))\">\(title)</a>" } ?? title
        let headline = page.headline
        var text = """
            <!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\
            <meta http-equiv="refresh" content="60"><title>\(headline.text) – \(title)</title>\
            <link rel="alternate" type="application/atom+xml" title="\(title)" href="public/feed.atom"><style>\(style)</style></head>
            <body><main><h1>\(heading)</h1><p class="head \(headline.state.rawValue)">\(headline.text)</p>

            """
        let (open, closed) = (
            page.incidents.filter { $0.closedAt == nil }, page.incidents.filter { $0.closedAt != nil }
        )
        text += section("Current incidents", open.map(incident))
        text += section("Maintenance", page.maintenance.map(maintenance))
        for group in page.groups { text += section(Markup.escape(group.name), group.services.map(service)) }
        if page.hidden > 0 { text += "<p class=\"dim\">and \(page.hidden) more services</p>\n" }
        text += section("Past incidents", closed.map(incident))
        let footer = page.settings.footer.map { Markup.escape($0) + " · " } ?? ""
        text += "</main><footer class=\"dim\">\(footer)<a href=\"public/feed.atom\">Feed</a></footer></body></html>\n"
        return Array(text.utf8)
    }

    private static func section(_ title: String, _ items: [String]) -> String {
        items.isEmpty
            ? "" : "<section><h2>\(title)</h2><ul>\n\(items.map { "<li>\($0)</li>\n" }.joined())</ul></section>\n"
    }

    private static func service(_ service: PublicSnapshot.Service) -> String {
        let state = "<span class=\"\(service.state.rawValue)\">\(PublicSnapshot.word(service.state))</span>"
        var text = "<div class=\"row\"><span class=\"name\">\(Markup.escape(service.name))</span>\(state)</div>"
        guard let bars = service.bars, let uptime = bars.uptimeText else { return text }
        text += "<svg viewBox=\"0 0 \(bars.levels.count * 4) 20\" preserveAspectRatio=\"none\" role=\"img\" "
        text += "aria-label=\"\(bars.levels.count) days\">"
        for level in PublicBars.Level.allCases {
            let places = bars.levels.indices.filter { bars.levels[$0] == level }
            guard !places.isEmpty else { continue }
            text += "<path class=\"l\(level.rawValue)\" d=\"\(places.map { "M\($0 * 4) 0h3v20h-3z" }.joined())\"/>"
        }
        return text
            + "</svg><div class=\"row dim\"><span>\(bars.levels.count) days</span><span>\(uptime)</span></div>"
    }

    private static func incident(_ incident: PublicSnapshot.Incident) -> String {
        let end = incident.closedAt.map { " to \(time($0))" } ?? ""
        var text = "<strong class=\"name\">\(Markup.escape(incident.title))</strong>"
        let before = incident.openedAt < incident.begunAt ? "; the first time at \(time(incident.openedAt))" : ""
        let begin = (incident.closedAt == nil ? "since " : "") + time(incident.begunAt)
        text += "<p class=\"dim\">\(begin)\(end)\(before)</p>"
        for announcement in incident.announcements {
            text +=
                "<p class=\"text\">\(Markup.escape(announcement.text))</p><p class=\"dim\">\(time(announcement.at))</p>"
        }
        return text
    }

    private static func maintenance(_ maintenance: PublicSnapshot.Maintenance) -> String {
        let from = maintenance.from.map { "\(time($0)) to " } ?? "in progress, until "
        let names = maintenance.services.prefix(10).joined(separator: ", ")
        let rest = maintenance.services.count > 10 ? " and \(maintenance.services.count - 10) more" : ""
        return "<strong class=\"name\">\(Markup.escape(maintenance.group)): \(Markup.escape(names + rest))</strong>"
            + "<p class=\"dim\">\(from)\(time(maintenance.to))</p>"
    }

    private static func time(_ moment: Timestamp) -> String {
        "<time datetime=\"\(moment)\">\(PublicSnapshot.minute(moment))</time>"
    }
}
