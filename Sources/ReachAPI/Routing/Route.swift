// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer

/// The routes of the API; `openapi.yaml` lists the same, which a test checks.
enum Route: String, CaseIterable {
    case page = "/"
    case pageFile = "/page/{file}"
    case publicPage = "/public"
    case publicFeed = "/public/feed.atom"
    case status = "/status"
    case targets = "/targets"
    case target = "/targets/{id}"
    case declaration = "/targets/{id}/declaration"
    case health = "/targets/{id}/health"
    case probe = "/targets/{id}/probe"
    case pause = "/targets/{id}/pause"
    case resume = "/targets/{id}/resume"
    case heartbeat = "/targets/{id}/heartbeat"
    case history = "/targets/{id}/history"
    case uptime = "/targets/{id}/uptime"
    case timeline = "/targets/{id}/timeline"
    case trace = "/targets/{id}/trace"
    case traffic = "/targets/{id}/traffic"
    case badge = "/targets/{id}/badge.svg"
    case check = "/check"
    case uplinks = "/uplinks"
    case incidents = "/incidents"
    case incident = "/incidents/{id}"
    case fleet = "/fleet"
    case fleetNodes = "/fleet/nodes"
    case fleetNode = "/fleet/nodes/{id}"
    case drain = "/fleet/nodes/{id}/drain"
    case undrain = "/fleet/nodes/{id}/undrain"
    case events = "/events"
    case ticket = "/events/ticket"
    case access = "/access"
    case metrics = "/metrics"
    case probeScrape = "/probe"
    case livez = "/livez"
    case readyz = "/readyz"
    case healthz = "/healthz"
    case reload = "/-/reload"
    case version = "/version"
    case kinds = "/kinds"
    case openAPI = "/openapi.yaml"
    case docs = "/docs"

    /// The methods that it supports, as in the `Allow` header.
    var methods: [HTTPMethod] {
        switch self {
        case .targets, .trace: [.get, .head, .post, .options]
        case .target: [.get, .head, .put, .patch, .delete, .options]
        case .incident: [.get, .head, .patch, .options]
        case .probe, .pause, .resume, .heartbeat, .check, .ticket, .reload, .drain, .undrain: [.post, .options]
        default: [.get, .head, .options]
        }
    }

    /// Whether a request may have a body; otherwise one with a body is refused.
    func takesBody(_ method: HTTPMethod) -> Bool {
        switch (self, method) {
        case (.targets, .post), (.target, .put), (.target, .patch), (.check, .post), (.incident, .patch): true
        default: false
        }
    }

    /// The query parameters of a method.
    func parameters(of method: HTTPMethod) -> [QueryParameter] {
        switch (self, method) {
        case (_, .get), (_, .head), (.heartbeat, .post), (.probe, .post): parameters
        case (.targets, .post), (.target, .put), (.target, .patch), (.target, .delete), (.incident, .patch):
            Self.scopeParameters
        default: []
        }
    }

    /// Whether it needs no token: an orchestrator calls it, and it reveals only whether reachd is healthy.
    var isOpen: Bool {
        switch self {
        case .livez, .readyz, .healthz: true
        default: false
        }
    }

    /// Whether unknown query parameters are ignored: links to the page carry those of other sites.
    var ignoresQuery: Bool { self == .page || isPublic }

    /// Whether it is a part of the web page: it holds no data, and must load before a user can enter a token.
    var isPage: Bool { self == .page || self == .pageFile || self == .docs }

    /// Whether it is the public status page: every client may read it, where the configuration declares one.
    var isPublic: Bool { self == .publicPage || self == .publicFeed }

    /// The scope that a request needs.
    func scope(_ method: HTTPMethod) -> AccessScope {
        switch self {
        // A ticket is for reading, and is a POST because it works once.
        case .ticket: .read
        // May have secrets, such as headers, which a reader of the target does not see.
        case .declaration: .write
        default: method == .get || method == .head ? .read : .write
        }
    }

    /// Whether a fleet can answer it. Metrics are always a node's own: Prometheus reads all nodes, and would count each target of the
    /// fleet once for each.
    var hasFleetScope: Bool {
        switch self {
        case .metrics: false
        default: parameters.contains(ReportScope.parameter)
        }
    }

    /// The query parameters that it supports.
    var parameters: [QueryParameter] {
        switch self {
        case .page: Self.pageParameters
        case .status: Self.statusParameters
        case .targets: Self.targetsParameters
        case .target, .health, .uptime, .probe: Self.scopeParameters
        case .events: Self.eventsParameters
        case .heartbeat: Self.heartbeatParameters
        case .history: Self.historyParameters
        case .timeline: Self.timelineParameters
        case .badge: Self.badgeParameters
        case .uplinks: Self.uplinksParameters
        case .incidents: Self.incidentsParameters
        case .incident: Self.incidentParameters
        case .metrics: Self.metricsParameters
        case .probeScrape: Self.probeScrapeParameters
        case .fleet, .fleetNodes, .fleetNode, .drain, .undrain, .pageFile, .publicPage, .publicFeed, .trace, .traffic,
            .pause, .resume, .declaration, .check, .ticket, .access, .livez, .readyz, .healthz,
            .reload, .version, .kinds, .openAPI, .docs:
            []
        }
    }

    /// The page's filters, which the page reads itself, so that a filtered view has a URL.
    private static let pageParameters = [
        QueryParameter("state", .repeated), QueryParameter("tag", .repeated), QueryParameter("group", .repeated),
        QueryParameter("q"),
    ]
    private static let scopeParameters = [ReportScope.parameter]
    private static let statusParameters = [QueryParameter("fail_on", .list), ReportScope.parameter]
    private static let targetsParameters = [
        QueryParameter("state", .repeated), QueryParameter("status", .repeated), QueryParameter("tag", .repeated),
        QueryParameter("group", .repeated), QueryParameter("q"), QueryParameter("limit"), QueryParameter("cursor"),
        QueryParameter("fields", .list), ReportScope.parameter,
    ]
    private static let historyParameters = [
        QueryParameter("from"), QueryParameter("to"), QueryParameter("limit"), QueryParameter("cursor"),
        ReportScope.parameter,
    ]
    private static let timelineParameters = [QueryParameter("window", .list), ReportScope.parameter]
    private static let badgeParameters = [
        QueryParameter("type"), QueryParameter("window"), QueryParameter("label"), ReportScope.parameter,
    ]
    private static let uplinksParameters = [QueryParameter("format"), QueryParameter("table")]
    private static let incidentsParameters = [
        QueryParameter("state", .repeated), QueryParameter("target", .repeated), QueryParameter("group", .repeated),
        QueryParameter("since"), QueryParameter("until"), QueryParameter("limit"), QueryParameter("cursor"),
        ReportScope.parameter,
    ]
    private static let incidentParameters = [QueryParameter("limit"), QueryParameter("cursor"), ReportScope.parameter]
    private static let metricsParameters = [QueryParameter("collect", .list), ReportScope.parameter]
    private static let probeScrapeParameters = [
        QueryParameter("target"), QueryParameter("module"), QueryParameter("hostname"), QueryParameter("debug"),
    ]
    private static let heartbeatParameters = [
        QueryParameter("status"), QueryParameter("detail"), ReportScope.parameter,
    ]
    private static let eventsParameters = [
        QueryParameter("target", .repeated), QueryParameter("tag", .repeated), QueryParameter("group", .repeated),
        QueryParameter("event", .repeated), QueryParameter("distinct"), QueryParameter("key", .repeated),
        QueryParameter("options", .list), QueryParameter("format"), QueryParameter("snapshot"),
        QueryParameter("since"), QueryParameter("follow"), QueryParameter("include", .list), QueryParameter("ticket"),
        ReportScope.parameter,
    ]
}
