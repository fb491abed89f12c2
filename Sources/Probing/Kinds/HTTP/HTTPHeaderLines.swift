// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The header lines of a request.
enum HTTPHeaderLines {
    /// What of the TLS settings is for any server.
    static func settings(_ settings: TLSSettings, isHome: Bool) -> TLSSettings {
        guard !isHome else { return settings }
        var settings = settings
        settings.serverName = nil
        settings.verifiedName = nil
        settings.certificateFile = nil
        settings.keyFile = nil
        return settings
    }

    /// The settings' headers and what libcurl would do differently.
    ///
    /// - Parameters:
    ///   - isHome: Whether the request goes where the settings say, and not to where a redirect leads.
    ///   - hasBody: Whether there is a body.
    static func lines(_ headers: [HTTPHeader], isHome: Bool, hasBody: Bool) -> [String] {
        func has(_ name: String) -> Bool { headers.contains { $0.name.lowercased() == name } }
        // A header of one's own may be a credential whatever its name, such as `X-Api-Key`.
        var lines = headers.filter { isHome || $0.isForAnyOrigin }.map(\.line)
        if !has("user-agent") { lines.append("User-Agent: reachd") }
        if hasBody {
            // libcurl would call every body a form, and wait a second for the server's leave to send a large one.
            if !has("content-type") { lines.append("Content-Type:") }
            if !has("expect") { lines.append("Expect:") }
        }
        return lines
    }
}
