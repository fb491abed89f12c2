// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// Finds the route of a raw path; percent-encoding is decoded only in ids.
enum Router {
    struct Match {
        let route: Route
        /// The raw segment of the id or the file, for routes that have one.
        let id: String?
    }

    /// The prefix under which the same routes are served.
    static let prefix = "/api/v1"

    /// - Parameter base: the path prefix, except for routes without access control: an orchestrator calls these
    ///   directly and not through the reverse proxy that needs the base.
    static func match(_ path: String, below base: String) -> Match? {
        guard !base.isEmpty else { return match(path) }
        let rest = path.utf8.dropFirst(base.utf8.count)
        // Redirects to the path with the slash, which the page's links are relative to.
        if path == base { return Match(route: .page, id: nil) }
        if path.utf8.starts(with: base.utf8), rest.first == UInt8(ascii: "/") { return match(String(Substring(rest))) }
        return match(path).flatMap { $0.route.isOpen ? $0 : nil }
    }

    static func match(_ path: String) -> Match? {
        // Targets first: there are many of them.
        if let found = match(path, from: 0, of: targets) { return found }
        if let route = fixed[path] { return Match(route: route, id: nil) }
        if let found = match(ofPage: path[...]) ?? match(path, from: 0, of: incidents)
            ?? match(path, from: 0, of: nodes)
        {
            return found
        }
        guard path.utf8.starts(with: prefix.utf8) else { return nil }
        let rest = path.dropFirst(prefix.utf8.count)
        return match(path, from: prefix.utf8.count, of: targets)
            ?? fixed[String(rest)].map { Match(route: $0, id: nil) } ?? match(ofPage: rest)
            ?? match(path, from: prefix.utf8.count, of: incidents) ?? match(path, from: prefix.utf8.count, of: nodes)
    }

    private static func match(ofPage path: Substring) -> Match? {
        guard path.utf8.starts(with: page.utf8) else { return nil }
        let file = path.dropFirst(page.utf8.count)
        return file.isEmpty || file.utf8.contains(UInt8(ascii: "/")) ? nil : Match(route: .pageFile, id: String(file))
    }

    /// The route below a member of a collection, in the path from the given byte on.
    private static func match(_ path: String, from start: Int, of collection: Collection) -> Match? {
        var path = path
        return path.withUTF8 { path in
            let begin = start + collection.prefix.utf8CodeUnitCount
            guard path.count > begin, let base = path.baseAddress,
                unsafe memcmp(base + start, collection.prefix.utf8Start, begin - start) == 0
            else { return nil }
            let slash = unsafe path[begin...].firstIndex(of: UInt8(ascii: "/"))
            let end = slash ?? path.count
            guard end > begin else { return nil }
            let route =
                slash.map { unsafe collection.routes[String(decoding: path[$0...], as: UTF8.self)] }
                ?? collection.member
            return route.map { unsafe Match(route: $0, id: String(decoding: path[begin..<end], as: UTF8.self)) }
        }
    }

    /// The path of an absolute-form request target (RFC 9112, section 3.2.2), with its authority; nil for others.
    static func absoluteForm(_ target: String) -> (authority: Substring, path: Substring)? {
        guard target.utf8.first != UInt8(ascii: "/") else { return nil }
        for scheme in ["http://", "https://"] where target.prefix(scheme.count).lowercased() == scheme {
            let rest = target.dropFirst(scheme.count)
            let slash = rest.firstIndex(of: "/") ?? rest.endIndex
            return (rest[..<slash], slash == rest.endIndex ? "/" : rest[slash...])
        }
        return nil
    }

    private static let page = "/page/"

    /// Members with ids, and what is below each.
    private struct Collection {
        /// What precedes the id.
        let prefix: StaticString
        /// The route of a member itself.
        let member: Route
        /// The routes below a member, by what follows its id.
        let routes: [String: Route]

        init(_ prefix: StaticString, member: Route) {
            self.prefix = prefix
            self.member = member
            let pairs = Route.allCases.compactMap { route in
                route.rawValue.hasPrefix(member.rawValue + "/")
                    ? (String(route.rawValue.dropFirst(member.rawValue.count)), route) : nil
            }
            routes = Dictionary(uniqueKeysWithValues: pairs)
        }
    }

    private static let targets = Collection("/targets/", member: .target)
    private static let incidents = Collection("/incidents/", member: .incident)
    private static let nodes = Collection("/fleet/nodes/", member: .fleetNode)
    private static let fixed = Dictionary(
        uniqueKeysWithValues: Route.allCases.filter { !$0.rawValue.contains("{") }.map { ($0.rawValue, $0) }
    )
}
