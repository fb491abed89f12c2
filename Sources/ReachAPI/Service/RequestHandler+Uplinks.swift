// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import JSON
import Monitoring

/// The log of this machine's default uplinks.
extension RequestHandler {
    /// The forms of the response.
    private enum UplinkFormat: String, CaseIterable {
        case json, csv
    }

    /// Responds with the records of all uplinks.
    func uplinks(_ request: HTTPRequest, _ reader: inout QueryReader) -> HTTPResponse {
        let format = reader.cases("format", as: UplinkFormat.self).first ?? .json
        let table = reader.cases("table", as: UplinkTable.self).first
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        let uplinks = registry.uplinks
        guard format == .csv else {
            var writer = JSONWriter(reserving: 4_096)
            writer.uplinks(uplinks)
            return PreparedAnswer(constant: writer.bytes).response(to: request)
        }
        let bytes = (table ?? .outages).bytes(uplinks)
        return PreparedAnswer(constant: bytes, type: "text/csv; charset=utf-8; header=present").response(to: request)
    }
}
