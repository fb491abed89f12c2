// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
import NetworkPaths
import ReachAPI

/// Renders paths for standard output.
struct PathReport: Sendable {
    /// The output formats.
    enum Format: Sendable {
        /// One line per target, in words.
        case text
        /// One line per target, in columns with flags.
        case verbose
        /// One document, or one object per line.
        case json
    }

    let format: Format
    /// The width of the column of targets.
    let width: Int
    let clock: any WallClock

    init(format: Format, targets: [String], clock: any WallClock = SystemWallClock()) {
        self.format = format
        width = targets.map(\.count).max() ?? 0
        self.clock = clock
    }

    /// Prints the answer.
    func print(_ entries: [PathListing.Entry], supportsDNS: Bool) {
        switch format {
        case .json:
            StandardStream.output.write(PathListing.document(entries, supportsDNS: supportsDNS) + [UInt8(ascii: "\n")])
        case .text, .verbose:
            StandardStream.output.write(line: entries.map(line).joined(separator: "\n"))
        }
    }

    /// Prints one change with its time.
    func printChange(_ entry: PathListing.Entry, supportsDNS: Bool) {
        switch format {
        case .json:
            let line = PathListing.line(entry, at: clock.now(), supportsDNS: supportsDNS)
            StandardStream.output.write(line + [UInt8(ascii: "\n")])
        case .text, .verbose:
            StandardStream.output.write(line: "\(clock.now()) \(line(entry))")
        }
    }

    /// `TARGET  reachable by eth0 (wired) via 192.0.2.1, source 192.0.2.2`, or in columns
    /// `TARGET  0x00002  -R -------  wired_ethernet eth0  source=192.0.2.2 gateway=192.0.2.1`.
    func line(_ entry: PathListing.Entry) -> String {
        let target = entry.target + String(repeating: " ", count: max(0, width - entry.target.count))
        guard let path = entry.path else { return "\(target)  unknown" }
        return "\(target)  " + (format == .verbose ? columns(path) : words(path))
    }

    private func words(_ path: NetworkPath) -> String {
        var text = path.reachability.isReachable ? "reachable" : "not reachable"
        if path.flags.contains(.connectionRequired) { text += ", a connection must be established first" }
        if let reason = path.unsatisfiedReason, reason != .connectionAvailable {
            text += ": \(PathFormatter.reason(reason.rawValue))"
        }
        if let interface = path.interface {
            text += " by \(TerminalText.safe(interface.name)) (\(PathFormatter.interfaceType(interface.type.rawValue)))"
        }
        if let gateway = path.gateway { text += " via \(gateway)" }
        if let source = path.sourceAddress { text += ", source \(source)" }
        return text
    }

    private func columns(_ path: NetworkPath) -> String {
        let digits = String(path.flags.rawValue, radix: 16)
        let value = "0x" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits
        let interface = path.interface.map { "\($0.type.rawValue) \($0.name)" } ?? "- -"
        var facts: [String] = []
        if let source = path.sourceAddress { facts.append("source=\(source)") }
        if let gateway = path.gateway { facts.append("gateway=\(gateway)") }
        if let reason = path.unsatisfiedReason { facts.append("reason=\(reason.rawValue)") }
        let columns = [value, path.flags.text, interface, facts.joined(separator: " ")]
        return columns.filter { !$0.isEmpty }.joined(separator: "  ")
    }
}
