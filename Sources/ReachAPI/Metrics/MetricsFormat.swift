// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How metrics are written.
enum MetricsFormat: CaseIterable {
    /// Prometheus' text format 0.0.4.
    case text
    /// OpenMetrics 1.0.
    case openMetrics

    var contentType: String {
        switch self {
        case .text: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    /// The format that a client asks for (RFC 9110, section 12.5.1): OpenMetrics when it is named and wanted no less than text.
    init(accept: String?) {
        var (open, text, any) = (0.0, nil as Double?, nil as Double?)
        for element in (accept ?? "").split(separator: ",") {
            let parts = element.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let type = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            switch type {
            case "application/openmetrics-text":
                let version = parts.dropFirst().first { $0.hasPrefix("version=") }?.dropFirst("version=".count)
                // Versions of before 1.0 are read by who reads 1.0, and asked for together with it.
                if version == nil || version?.hasPrefix("1.") == true || version == "0.0.1" { open = max(open, weight) }
            case "text/plain": text = max(text ?? 0, weight)
            case "*/*", "text/*": any = max(any ?? 0, weight)
            default: break
            }
        }
        self = open > 0 && open >= text ?? any ?? 0 ? .openMetrics : .text
    }
}
