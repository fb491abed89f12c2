// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The files of the page; raw values are their names in `Page/Files` and below `/page/`.
enum PageFile: String, CaseIterable {
    case document = "index.html"
    case style = "style.css"
    case icon = "icon.svg"
    case access = "access.js"
    case api = "api.js"
    case certificates = "certificates.js"
    case charts = "charts.js"
    case details = "details.js"
    case dom = "dom.js"
    case editor = "editor.js"
    case evidence = "evidence.js"
    case filter = "filter.js"
    case fresh = "fresh.js"
    case kinds = "kinds.js"
    case listStyle = "list.css"
    case list = "list.js"
    case main = "main.js"
    case network = "network.js"
    case panelStyle = "panel.css"
    case row = "row.js"
    case store = "store.js"
    case stream = "stream.js"
    case timelines = "timelines.js"
    case words = "words.js"

    /// What the `Content-Type` field says.
    var type: String {
        switch self {
        case .document: "text/html; charset=utf-8"
        case .style, .listStyle, .panelStyle: "text/css; charset=utf-8"
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
        case .details: PackageResources.details_js
        case .dom: PackageResources.dom_js
        case .editor: PackageResources.editor_js
        case .evidence: PackageResources.evidence_js
        case .filter: PackageResources.filter_js
        case .fresh: PackageResources.fresh_js
        case .kinds: PackageResources.kinds_js
        case .listStyle: PackageResources.list_css
        case .list: PackageResources.list_js
        case .main: PackageResources.main_js
        case .network: PackageResources.network_js
        case .panelStyle: PackageResources.panel_css
        case .row: PackageResources.row_js
        case .store: PackageResources.store_js
        case .stream: PackageResources.stream_js
        case .timelines: PackageResources.timelines_js
        case .words: PackageResources.words_js
        }
    }
}
