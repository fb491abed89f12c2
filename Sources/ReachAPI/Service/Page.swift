// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer

/// The web page: a document and the files that it loads, embedded at build so that a static binary carries them. They
/// hold no data; the page uses the other routes as any client does.
final class Page: Sendable {
    private let answers: [PageFile: PreparedAnswer]

    init() {
        answers = Dictionary(
            uniqueKeysWithValues: PageFile.allCases.map { file in
                (file, PreparedAnswer(constant: file.bytes, type: file.type, extra: Self.policy))
            }
        )
    }

    /// The document.
    func document(_ request: HTTPRequest) -> HTTPResponse { answer(.document, request) }

    /// The document that shows `openapi.yaml`.
    func docs(_ request: HTTPRequest) -> HTTPResponse { answer(.docs, request) }

    /// One of the files, by its name; documents have no second URL.
    func file(_ name: String, _ request: HTTPRequest) -> HTTPResponse {
        guard let file = PageFile(rawValue: name), !file.isDocument else {
            return Problem.unknownRoute("/page/" + name).response
        }
        return answer(file, request)
    }

    private func answer(_ file: PageFile, _ request: HTTPRequest) -> HTTPResponse {
        answers[file]?.response(to: request) ?? Problem.unknownRoute("/page/" + file.rawValue).response
    }

    /// Loads only own files, runs nothing inline, turns no text into markup (Trusted Types), refuses frames and sends
    /// no referrer: filters may name what is monitored.
    private static let policy = [
        HTTPHeader(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
                + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        HTTPHeader("Referrer-Policy", "no-referrer"), HTTPHeader("Cross-Origin-Opener-Policy", "same-origin"),
        HTTPHeader("Cross-Origin-Resource-Policy", "same-origin"),
    ]
}

/// The files of the page; raw values are their names in `Page/Files` and below `/page/`.
enum PageFile: String, CaseIterable {
    case document = "index.html"
    case style = "style.css"
    case icon = "icon.svg"
    case access = "access.js"
    case api = "api.js"
    case certificates = "certificates.js"
    case charts = "charts.js"
    case choices = "choices.js"
    case days = "days.js"
    case declaring = "declaring.js"
    case details = "details.js"
    case docs = "docs.html"
    case docsScript = "docs.js"
    case docsStyle = "docs.css"
    case dom = "dom.js"
    case editor = "editor.js"
    case evidence = "evidence.js"
    case fields = "fields.js"
    case filter = "filter.js"
    case fleet = "fleet.js"
    case form = "form.js"
    case fresh = "fresh.js"
    case incident = "incident.js"
    case incidentStyle = "incidents.css"
    case incidents = "incidents.js"
    case keys = "keys.js"
    case kinds = "kinds.js"
    case latencies = "latencies.js"
    case listStyle = "list.css"
    case list = "list.js"
    case log = "log.js"
    case main = "main.js"
    case network = "network.js"
    case panelStyle = "panel.css"
    case row = "row.js"
    case scope = "scope.js"
    case store = "store.js"
    case stream = "stream.js"
    case timelines = "timelines.js"
    case tips = "tips.js"
    case trace = "trace.js"
    case uplinks = "uplinks.js"
    case views = "views.js"
    case votes = "votes.js"
    case wall = "wall.js"
    case words = "words.js"
    case yaml = "yaml.js"

    /// Whether it has a route of its own.
    var isDocument: Bool { self == .document || self == .docs }

    /// The `Content-Type`.
    var type: String {
        switch self {
        case .document, .docs: "text/html; charset=utf-8"
        case .style, .docsStyle, .incidentStyle, .listStyle, .panelStyle: "text/css; charset=utf-8"
        case .icon: "image/svg+xml"
        default: "text/javascript; charset=utf-8"
        }
    }

    /// The embedded file.
    var bytes: [UInt8] {
        switch self {
        case .document: PackageResources.index_html
        case .style: PackageResources.style_css
        case .icon: PackageResources.icon_svg
        case .access: PackageResources.access_js
        case .api: PackageResources.api_js
        case .certificates: PackageResources.certificates_js
        case .charts: PackageResources.charts_js
        case .choices: PackageResources.choices_js
        case .days: PackageResources.days_js
        case .declaring: PackageResources.declaring_js
        case .details: PackageResources.details_js
        case .docs: PackageResources.docs_html
        case .docsScript: PackageResources.docs_js
        case .docsStyle: PackageResources.docs_css
        case .dom: PackageResources.dom_js
        case .editor: PackageResources.editor_js
        case .evidence: PackageResources.evidence_js
        case .fields: PackageResources.fields_js
        case .filter: PackageResources.filter_js
        case .fleet: PackageResources.fleet_js
        case .form: PackageResources.form_js
        case .fresh: PackageResources.fresh_js
        case .incident: PackageResources.incident_js
        case .incidentStyle: PackageResources.incidents_css
        case .incidents: PackageResources.incidents_js
        case .keys: PackageResources.keys_js
        case .kinds: PackageResources.kinds_js
        case .latencies: PackageResources.latencies_js
        case .listStyle: PackageResources.list_css
        case .list: PackageResources.list_js
        case .log: PackageResources.log_js
        case .main: PackageResources.main_js
        case .network: PackageResources.network_js
        case .panelStyle: PackageResources.panel_css
        case .row: PackageResources.row_js
        case .scope: PackageResources.scope_js
        case .store: PackageResources.store_js
        case .stream: PackageResources.stream_js
        case .timelines: PackageResources.timelines_js
        case .tips: PackageResources.tips_js
        case .trace: PackageResources.trace_js
        case .uplinks: PackageResources.uplinks_js
        case .views: PackageResources.views_js
        case .votes: PackageResources.votes_js
        case .wall: PackageResources.wall_js
        case .words: PackageResources.words_js
        case .yaml: PackageResources.yaml_js
        }
    }
}
