// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import JSON
import Monitoring
import Probing

/// Renders a trace for a terminal, and as JSON.
struct TraceReport {
    private let subject: String
    private let trace: TraceResult
    private let names: [IPAddress: String]

    /// - Parameter names: The names of the hops' addresses that are known.
    init(_ subject: String, _ trace: TraceResult, names: [IPAddress: String] = [:]) {
        self.subject = subject
        self.trace = trace
        self.names = names
    }

    /// One object.
    var document: [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.member("subject", subject)
            $0.traceMembers(trace)
            if !names.isEmpty {
                $0.member("names") { writer in
                    for (address, name) in names.sorted(by: { $0.key < $1.key }) {
                        writer.member(named: address.description, name)
                    }
                }
            }
        }
        return writer.bytes
    }

    private func words(_ address: IPAddress) -> String {
        names[address].map { "\(TerminalText.safe($0, limit: 80)) (\(address))" } ?? "\(address)"
    }

    func lines(on terminal: Terminal) -> [String] {
        var table = TextTable(["HOP", "ADDRESS", "MEDIAN", "LOST", ""])
        for hop in trace.hops {
            let labels = hop.labels.map { "MPLS label \($0.label)" }.joined(separator: ", ")
            table.add([
                TextTable.Cell("\(hop.number)", isRight: true),
                TextTable.Cell(hop.isSilent ? "*" : hop.addresses.map(words).joined(separator: ", ")),
                TextTable.Cell(hop.median.map { DurationFormatter.latency($0.seconds) } ?? "", isRight: true),
                TextTable.Cell(hop.lost == 0 ? "" : "\(hop.lost) of \(hop.sent)", hop.isSilent ? .faint : .yellow),
                TextTable.Cell(labels),
            ])
        }
        let port = trace.request.method.port.map { ", port \($0)" } ?? ""
        let flow = trace.isOneFlow ? "" : " The packets were of several flows, which may take different paths."
        let color: TerminalColor = trace.isAnswered ? .green : .red
        let end = trace.loop.isEmpty ? trace.end.name : "loop"
        return [
            "\(terminal.paint(TerminalText.safe(subject), .bold)) (\(trace.request.destination)) by "
                + "\(trace.request.method.name)\(port)", "",
        ] + (table.isEmpty ? [] : table.lines(on: terminal) + [""]) + [
            terminal.paint(end, color) + ": \(TerminalText.safe(trace.detail))."
                + " \(trace.packetsSent) \(trace.packetsSent == 1 ? "packet" : "packets") in \(DurationFormatter.latency(trace.duration.seconds)).\(flow)"
        ]
    }
}
