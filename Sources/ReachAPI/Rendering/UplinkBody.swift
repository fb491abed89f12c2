// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import JSON
import Monitoring
import NetworkPaths

/// The JSON form of the log of uplinks.
extension JSONWriter {
    mutating func uplinks(_ uplinks: [Uplink]) {
        object { writer in
            writer.key("uplinks")
            writer.array(uplinks) { writer, uplink in writer.object { $0.uplinkMembers(uplink) } }
        }
    }

    private mutating func uplinkMembers(_ uplink: Uplink) {
        member("id", uplink.id)
        member("interface", optional: uplink.gateway.interface)
        member("gateway", uplink.gateway.address.description)
        member("family", uplink.gateway.address.family == .ipv4 ? "ipv4" : "ipv6")
        member("state", uplink.state.rawValue)
        member("first_seen", uplink.firstSeen)
        if let outage = uplink.outage { member("outage") { $0.outageMembers(outage) } }
        if let latency = uplink.gatewayLatency { member("gateway_latency") { $0.latencyMembers(latency) } }
        if let latency = uplink.publicHop { member("public_hop") { $0.latencyMembers(latency) } }
        member("outage_count", uplink.outageCount)
        key("periods")
        array(uplink.periods.reversed()) { writer, period in
            writer.object { writer in
                writer.member("from", period.from)
                if let to = period.to { writer.member("to", to) }
            }
        }
        key("outages")
        array(uplink.outages.reversed()) { writer, outage in writer.object { $0.outageMembers(outage) } }
        key("months")
        array(uplink.months.all.reversed()) { writer, month in
            writer.object { writer in
                writer.member("month", month.name)
                writer.member("used_seconds", month.usedSeconds)
                writer.key("lost_seconds")
                writer.seconds(milliseconds: UInt64(clamping: month.lost))
            }
        }
    }

    private mutating func outageMembers(_ outage: UplinkOutage) {
        member("from", outage.from)
        if let to = outage.to { member("to", to) }
        member("cause", outage.cause.rawValue)
        if let end = outage.end { member("end", end.rawValue) }
        key("seconds")
        seconds(milliseconds: UInt64(clamping: outage.milliseconds))
    }

    private mutating func latencyMembers(_ latency: Uplink.Latency) {
        member("address", latency.address.description)
        member("round_trip_seconds", latency.roundTrip)
        member("at", latency.at)
    }
}

extension UplinkMonths.Month {
    /// The time in use in whole minutes, so that a response about working uplinks stays valid for a minute.
    fileprivate var usedSeconds: Int64 { used / 60_000 * 60 }
}

/// The CSV form (RFC 4180) of the log of uplinks: a table of its outages, periods or months.
enum UplinkTable: String, CaseIterable {
    case outages, periods, months

    /// The lines, with names of columns in the first.
    func bytes(_ uplinks: [Uplink]) -> [UInt8] {
        var lines = ["uplink,interface,gateway,\(columns)"]
        for uplink in uplinks {
            let interface = uplink.gateway.interface ?? ""
            let names = [uplink.id, interface, uplink.gateway.address.description].map(Self.quoted)
            for row in rows(uplink) { lines.append((names + row).joined(separator: ",")) }
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
    }

    private var columns: String {
        switch self {
        case .outages: "from,to,seconds,cause,end"
        case .periods: "from,to"
        case .months: "month,used_seconds,lost_seconds"
        }
    }

    private func rows(_ uplink: Uplink) -> [[String]] {
        switch self {
        case .outages:
            uplink.outages.reversed().map {
                [
                    "\($0.from)", $0.to?.description ?? "", Self.seconds($0.milliseconds), $0.cause.rawValue,
                    $0.end?.rawValue ?? "",
                ]
            }
        case .periods: uplink.periods.reversed().map { ["\($0.from)", $0.to?.description ?? ""] }
        case .months: uplink.months.all.reversed().map { [$0.name, "\($0.usedSeconds)", Self.seconds($0.lost)] }
        }
    }

    private static func seconds(_ milliseconds: Int64) -> String {
        var writer = JSONWriter()
        writer.seconds(milliseconds: UInt64(clamping: milliseconds))
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// A field in quotes where it needs them: the kernel permits commas and quotes in names of interfaces. What a spreadsheet
    /// would take for a formula gets an apostrophe.
    private static func quoted(_ text: String) -> String {
        let isFormula = text.utf8.first.map { "=+-@".utf8.contains($0) } ?? false
        let text = isFormula ? "'" + text : text
        guard text.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
