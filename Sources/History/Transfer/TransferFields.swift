// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// The fields of a record by their names, each as text: what JSON lines and CSV have in common.
struct TransferFields {
    /// The names, in the order of the columns.
    static let event = [
        "sequence", "at", "type", "target", "group", "tags", "status_changed", "from", "to", "reason", "cause", "data",
        "supplement",
    ]
    static let gap = ["first", "last", "began", "ended", "reason"]
    static let rollup =
        ["resolution", "target", "start", "observed_from_seconds", "observed_to_seconds"]
        + StateDurations.order.map { "\($0.rawValue)_seconds" } + ["probes", "failures", "latency"]

    /// Fields that are JSON and not text.
    static let structured: Set<String> = ["tags", "data", "supplement", "latency"]
    /// Fields that are numbers or words, in JSON without quotation marks.
    static let bare: Set<String> =
        Set(
            ["sequence", "status_changed", "first", "last", "probes", "failures"]
                + rollup.filter { $0.hasSuffix("_seconds") }
        )

    static func names(_ kind: TransferKind) -> [String] {
        switch kind {
        case .event: event
        case .gap: gap
        case .rollup: rollup
        }
    }

    var values: [String: [UInt8]] = [:]

    init() {}

    subscript(name: String) -> String? { values[name].map { String(decoding: $0, as: UTF8.self) } }

    mutating func set(_ name: String, _ value: String?) { values[name] = value.map { Array($0.utf8) } }

    // MARK: Reading

    func text(_ name: String) throws(TransferError) -> String {
        guard let text = self[name] else { throw TransferError("\(name) is missing") }
        return text
    }

    func number(_ name: String) throws(TransferError) -> UInt64 {
        let text = try text(name)
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(text) else {
            throw TransferError("\(name) is not a number")
        }
        return number
    }

    func moment(_ name: String) throws(TransferError) -> Timestamp {
        guard let moment = Timestamp(parsing: try text(name)) else { throw TransferError("\(name) is not a time") }
        return moment
    }

    /// Seconds with at most three decimals, in milliseconds; nothing when absent.
    func milliseconds(_ name: String) throws(TransferError) -> UInt64 {
        guard let text = self[name] else { return 0 }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let isDecimal = parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }
        guard isDecimal, parts[0].count <= 9, parts.count == 1 || parts[1].count <= 3 else {
            throw TransferError("\(name) is not a number of seconds")
        }
        var value: UInt64 = 0
        for digit in parts[0] { value = value * 10 + UInt64(digit - 0x30) }
        value *= 1000
        var weight: UInt64 = 100
        for digit in parts.dropFirst().joined() {
            value += UInt64(digit - 0x30) * weight
            weight /= 10
        }
        return value
    }

    func word<Word: RawRepresentable>(_ name: String, _ type: Word.Type) throws(TransferError) -> Word?
    where Word.RawValue == String {
        guard let text = self[name] else { return nil }
        guard let word = Word(rawValue: text) else { throw TransferError("\(name) has an unknown value") }
        return word
    }

    /// Milliseconds as seconds.
    static func seconds(_ milliseconds: UInt64) -> String {
        let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        guard rest > 0 else { return "\(whole)" }
        var digits = String(rest)
        digits = String(repeating: "0", count: 3 - digits.utf8.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(whole).\(digits)"
    }
}
