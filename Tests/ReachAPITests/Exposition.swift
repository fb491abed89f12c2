// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

@testable import ReachAPI

/// Metrics read back, by the rules of the formats' descriptions and not by ours: what breaks one is a fault.
struct Exposition {
    struct Sample: Hashable {
        let name: String
        let labels: [String: String]
        let value: String

        var number: Double { Double(value) ?? .nan }
    }

    private(set) var samples: [Sample] = []
    /// The types of families, by the names that they are announced with.
    private(set) var types: [String: String] = [:]
    private(set) var faults: [String] = []

    init(_ bytes: [UInt8], _ format: MetricsFormat = .text) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            faults = ["no UTF-8"]
            return
        }
        guard text.utf8.last == UInt8(ascii: "\n") else {
            faults = ["no line feed at the end"]
            return
        }
        var current: String?
        var helped: Set<String> = []
        var series: Set<String> = []
        var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        lines.removeLast()
        if format == .openMetrics, lines.popLast() != "# EOF" { faults.append("no # EOF at the end") }
        for line in lines {
            if line.isEmpty || line == "# EOF" {
                faults.append("an empty line, or an end in the middle")
            } else if line.hasPrefix("# HELP ") {
                let name = String(line.dropFirst(7).prefix { $0 != " " })
                if !helped.insert(name).inserted {
                    faults.append("\(name) has two helps: its samples are not together")
                }
                if line.count <= name.count + 8 { faults.append("\(name) has no help") }
                current = nil
            } else if line.hasPrefix("# TYPE ") {
                let words = line.dropFirst(7).split(separator: " ")
                let name = String(words[0])
                if types.updateValue(String(words[1]), forKey: name) != nil { faults.append("\(name) has two types") }
                if !helped.contains(name) { faults.append("\(name) has no help before its type") }
                current = name
            } else if let sample = Self.sample(line) {
                samples.append(sample)
                if let fault = fault(of: sample, in: current, format) { faults.append("\(line): \(fault)") }
                let labels = sample.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.debugDescription)" }
                if !series.insert("\(sample.name){\(labels.joined(separator: ","))}").inserted {
                    faults.append("\(line): stands twice")
                }
            } else {
                faults.append("not a sample: \(line.debugDescription)")
            }
        }
    }

    private func fault(of sample: Sample, in family: String?, _ format: MetricsFormat) -> String? {
        guard let family, let type = types[family] else { return "no type before it" }
        let base = family.hasSuffix("_total") && format == .text ? String(family.dropLast(6)) : family
        let allowed =
            switch type {
            case "counter": [base + "_total"]
            case "histogram": ["_bucket", "_sum", "_count"].map { base + $0 }
            case "info": [base + "_info"]
            case "gauge": [base]
            default: [String]()
            }
        if !allowed.contains(sample.name) { return "not of the family \(family), a \(type)" }
        if type == "counter", !(sample.number >= 0) { return "a counter below nothing" }
        if sample.number.isNaN { return "no number" }
        return nil
    }

    func values(_ name: String, _ labels: [String: String] = [:]) -> [String] {
        samples.filter { sample in
            sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
        }.map(\.value)
    }

    func value(_ name: String, _ labels: [String: String] = [:]) -> String? {
        let found = values(name, labels)
        return found.count == 1 ? found[0] : nil
    }

    var names: Set<String> { Set(samples.map(\.name)) }

    // MARK: Lines

    /// `name{label="value",…} number`
    private static func sample(_ line: String) -> Sample? {
        var rest = line.unicodeScalars[...]
        func isName(_ scalar: Unicode.Scalar) -> Bool {
            scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_" || scalar == ":")
        }
        let name = String(rest.prefix(while: isName))
        rest = rest.dropFirst(name.unicodeScalars.count)
        guard let first = name.unicodeScalars.first, !("0"..."9").contains(first) else { return nil }
        var labels: [String: String] = [:]
        if rest.first == "{" {
            repeat {
                rest = rest.dropFirst()
                let label = String(rest.prefix(while: isName))
                rest = rest.dropFirst(label.unicodeScalars.count)
                guard !label.isEmpty, rest.starts(with: "=\"".unicodeScalars) else { return nil }
                rest = rest.dropFirst(2)
                var value = String.UnicodeScalarView()
                while let scalar = rest.first, scalar != "\"" {
                    rest = rest.dropFirst()
                    guard scalar == "\\" else {
                        value.append(scalar)
                        continue
                    }
                    guard let escaped = rest.first, let plain = ["\\": "\\", "\"": "\"", "n": "\n"][String(escaped)]
                    else {
                        return nil
                    }
                    value.append(contentsOf: plain.unicodeScalars)
                    rest = rest.dropFirst()
                }
                rest = rest.dropFirst()
                guard labels.updateValue(String(value), forKey: label) == nil else { return nil }
            } while rest.first == ","
            guard rest.first == "}" else { return nil }
            rest = rest.dropFirst()
        }
        guard rest.first == " " else { return nil }
        let value = String(rest.dropFirst())
        guard Double(value) != nil || value == "+Inf" else { return nil }
        return Sample(name: name, labels: labels, value: value)
    }
}
