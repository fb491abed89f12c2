// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Schema

/// Reads a query by the parameters of a route and collects everything that is wrong with it.
struct QueryReader {
    /// The maximum number of values of one parameter.
    static let maximumValues = 256

    private(set) var faults: [ProblemFault] = []
    private var values: [String: [String]] = [:]

    /// - Parameter parameters: those of the route; not asked for without a query, as most requests are.
    init(_ query: String?, parameters: @autoclosure () -> [QueryParameter]) {
        guard let query, !query.isEmpty else { return }
        let parameters = parameters()
        for pair in query[...].utf8.split(separator: UInt8(ascii: "&")) {
            // More faults of a hostile query help no reader.
            guard faults.count < 16 else { return }
            read(pair, parameters: parameters)
        }
    }

    /// The values of a parameter, in the order of the query.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The value of a parameter that may occur once.
    func one(_ name: String) -> String? { values[name]?.first }

    /// Whether a parameter is in the query, possibly with an empty value.
    func isGiven(_ name: String) -> Bool { values[name] != nil }

    mutating func fault(_ name: String, _ detail: String) {
        faults.append(ProblemFault(parameter: name, detail: detail))
    }

    /// The values of a parameter as cases of an enumeration; others are faults.
    mutating func cases<Value: Hashable>(_ name: String, among allowed: [(name: String, value: Value)]) -> [Value] {
        var found: [Value] = []
        for text in all(name) {
            if let value = allowed.first(where: { $0.name == text })?.value {
                if !found.contains(value) { found.append(value) }
            } else {
                unknownValue(text, of: name, allowed: allowed.map(\.name))
            }
        }
        return found
    }

    /// The values of a parameter as cases of an enumeration with raw values.
    mutating func cases<Value>(_ name: String, as type: Value.Type) -> [Value]
    where Value: CaseIterable & RawRepresentable & Hashable, Value.RawValue == String {
        guard isGiven(name) else { return [] }
        return cases(name, among: Value.allCases.map { ($0.rawValue, $0) })
    }

    /// A whole number within bounds.
    mutating func integer(_ name: String, in range: ClosedRange<Int>, default value: Int) -> Int {
        guard let text = one(name) else { return value }
        if text.utf8.count <= 9, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
            range.contains(number)
        {
            return number
        }
        fault(name, "A whole number from \(range.lowerBound) to \(range.upperBound) is required.")
        return value
    }

    /// An RFC 3339 date-time, or a date.
    mutating func moment(_ name: String) -> Timestamp? {
        guard let text = one(name) else { return nil }
        if text.utf8.count <= 64, let moment = Timestamp(parsing: text) { return moment }
        fault(name, "A time such as 2026-11-22T10:15:30Z, or a date such as 2026-11-22, is required.")
        return nil
    }

    /// `true`, `1`, `false` or `0`; false when absent.
    mutating func boolean(_ name: String) -> Bool {
        switch one(name) {
        case nil, "false", "0": return false
        case "true", "1": return true
        default:
            fault(name, "`true` or `false` is required.")
            return false
        }
    }

    /// `name:value` pairs.
    mutating func tags(_ name: String) -> [TagFilter] {
        var tags: [TagFilter] = []
        for text in all(name) {
            guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else {
                fault(name, "`name:value` is required.")
                continue
            }
            let tag = TagFilter(name: String(text[..<colon]), value: String(text[text.index(after: colon)...]))
            if !tags.contains(tag) { tags.append(tag) }
        }
        return tags
    }

    private mutating func unknownValue(_ text: String, of name: String, allowed: [String]) {
        let hint = NearestName.of(text, among: allowed).map { " Did you mean `\($0)`?" } ?? ""
        fault(name, "Unknown value.\(hint) Known values: \(allowed.joined(separator: ", ")).")
    }

    private mutating func read(_ pair: Substring.UTF8View, parameters: [QueryParameter]) {
        let equals = pair.firstIndex(of: UInt8(ascii: "="))
        guard let name = PercentDecoding.decode(pair[..<(equals ?? pair.endIndex)], plusIsSpace: true) else {
            fault("", "A parameter's name is not valid percent-encoded UTF-8, or has control characters.")
            return
        }
        guard let parameter = parameters.first(where: { $0.name == name }) else {
            let known = parameters.map(\.name)
            let hint = NearestName.of(name, among: known).map { " Did you mean `\($0)`?" }
            let all = known.isEmpty ? " This route has none." : " Known: \(known.joined(separator: ", "))."
            fault(String(name.prefix(64)), "Unknown parameter." + (hint ?? all))
            return
        }
        let raw = equals.map { pair[pair.index(after: $0)...] } ?? pair[pair.endIndex...]
        guard let value = PercentDecoding.decode(raw, plusIsSpace: true) else {
            fault(name, "The value is not valid percent-encoded UTF-8, or has control characters.")
            return
        }
        if values[name] != nil, parameter.style != .repeated {
            fault(name, "It may occur only once in a query.")
            return
        }
        let new =
            parameter.style == .list
            ? value.split(separator: ",", omittingEmptySubsequences: true).map(String.init) : [value]
        values[name, default: []] += new
        if values[name, default: []].count > Self.maximumValues {
            values[name] = []
            fault(name, "At most \(Self.maximumValues) values are accepted.")
        }
    }
}

/// A query parameter of a route.
struct QueryParameter: Sendable, Hashable {
    /// How often it may occur in a query.
    enum Style: Sendable, Hashable {
        /// Once, one value.
        case single
        /// Once, values with commas between them.
        case list
        /// Any number of times, one value each.
        case repeated
    }

    let name: String
    let style: Style

    init(_ name: String, _ style: Style = .single) {
        self.name = name
        self.style = style
    }
}
