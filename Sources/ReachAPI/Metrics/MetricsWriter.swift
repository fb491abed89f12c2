// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// Writes metrics directly into bytes, in either format. All samples of a family are written before those of the next;
/// a family without samples is omitted.
struct MetricsWriter {
    let format: MetricsFormat
    private(set) var bytes: [UInt8] = []
    private var family: MetricFamily?
    private var isAnnounced = false
    private var hasLabels = false

    init(_ format: MetricsFormat, reserving capacity: Int = 1 << 15) {
        self.format = format
        bytes.reserveCapacity(capacity)
    }

    /// Returns and clears what was written since the last call.
    mutating func take() -> [UInt8] {
        let taken = bytes
        bytes = []
        bytes.reserveCapacity(taken.count + 1_024)
        return taken
    }

    // MARK: Families

    mutating func begin(_ family: MetricFamily) {
        self.family = family
        isAnnounced = false
    }

    /// Ends the document.
    mutating func end() {
        if format == .openMetrics { literal("# EOF\n") }
    }

    private mutating func announce() {
        guard !isAnnounced, let family else { return }
        isAnnounced = true
        literal("# HELP ")
        familyName(family)
        space()
        // No help text needs escaping, which a test checks.
        literal(family.help)
        literal("\n# TYPE ")
        familyName(family)
        switch family.kind {
        case .counter: literal(" counter\n")
        case .gauge: literal(" gauge\n")
        case .histogram: literal(" histogram\n")
        case .info: literal(format == .text ? " gauge\n" : " info\n")
        }
    }

    /// In OpenMetrics a family's name lacks the suffix of its samples; in the text format it has it.
    private mutating func familyName(_ family: MetricFamily) {
        literal(family.name)
        guard format == .text else { return }
        switch family.kind {
        case .counter: literal("_total")
        case .info: literal("_info")
        case .gauge, .histogram: break
        }
    }

    // MARK: Samples

    /// Writes a sample.
    mutating func sample(_ labels: [UInt8] = [], _ value: some FixedWidthInteger) {
        open(labels)
        close(value)
    }

    /// Writes a sample, in seconds.
    mutating func sample(_ labels: [UInt8] = [], _ value: Duration) {
        open(labels)
        close(nanoseconds: value.nanoseconds)
    }

    /// Writes a sample, in seconds since 1970.
    mutating func sample(_ labels: [UInt8] = [], _ value: Timestamp) {
        open(labels)
        close(milliseconds: value.milliseconds)
    }

    /// Begins a sample; its labels and then its value must follow.
    ///
    /// - Parameters:
    ///   - suffix: the suffix of the family's name; nil for that of its type.
    ///   - labels: prepared labels, by ``Labels``.
    mutating func open(_ suffix: StaticString? = nil, _ labels: [UInt8] = []) {
        announce()
        if let family {
            literal(family.name)
            if let suffix {
                literal(suffix)
            } else if family.kind == .counter {
                literal("_total")
            } else if family.kind == .info {
                literal("_info")
            }
        }
        hasLabels = false
        guard !labels.isEmpty else { return }
        hasLabels = true
        bytes.append(UInt8(ascii: "{"))
        bytes.append(contentsOf: labels)
    }

    mutating func open(_ labels: [UInt8]) { open(nil, labels) }

    /// Writes a label whose value needs no escaping.
    mutating func label(_ name: StaticString, _ value: StaticString) {
        separate()
        literal(name)
        literal("=\"")
        literal(value)
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func label(_ name: StaticString, _ value: String) {
        separate()
        literal(name)
        quoted(value)
    }

    mutating func label(named name: String, _ value: String) {
        separate()
        bytes.append(contentsOf: name.utf8)
        quoted(value)
    }

    mutating func close(_ value: some FixedWidthInteger) {
        closeLabels()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(UInt64(value.magnitude))
        bytes.append(UInt8(ascii: "\n"))
    }

    mutating func close(_ value: Double) {
        closeLabels()
        bytes.append(
            contentsOf: (value.isNaN ? "NaN" : value.isInfinite ? (value > 0 ? "+Inf" : "-Inf") : "\(value)").utf8
        )
        bytes.append(UInt8(ascii: "\n"))
    }

    mutating func close(nanoseconds: UInt64) {
        closeLabels()
        decimal(nanoseconds, 1_000_000_000)
        bytes.append(UInt8(ascii: "\n"))
    }

    mutating func close(milliseconds: Int64) {
        closeLabels()
        if milliseconds < 0 { bytes.append(UInt8(ascii: "-")) }
        decimal(milliseconds.magnitude, 1_000)
        bytes.append(UInt8(ascii: "\n"))
    }

    // MARK: Histograms

    /// The samples of a histogram.
    ///
    /// - Parameter bounds: one name per bucket, `+Inf` last.
    mutating func histogram(_ tally: ProbeCounters, _ labels: [UInt8], bounds: [StaticString]) {
        var count: UInt64 = 0
        for (index, bound) in bounds.enumerated() {
            count += UInt64(tally.buckets[index])
            open("_bucket", labels)
            label("le", bound)
            close(count)
        }
        open("_sum", labels)
        close(nanoseconds: tally.total)
        open("_count", labels)
        close(count)
    }

    // MARK: Bytes

    /// Labels that many samples share, written once.
    static func labels(_ write: (inout MetricsWriter) -> Void) -> [UInt8] {
        var writer = MetricsWriter(.text, reserving: 64)
        write(&writer)
        // The brace before the first label belongs to the sample.
        return Array(writer.bytes.dropFirst())
    }

    private mutating func separate() {
        bytes.append(hasLabels ? UInt8(ascii: ",") : UInt8(ascii: "{"))
        hasLabels = true
    }

    private mutating func closeLabels() {
        if hasLabels { bytes.append(UInt8(ascii: "}")) }
        hasLabels = false
        space()
    }

    /// Writes `="value"`, escaped in the same way in both formats.
    private mutating func quoted(_ value: String) {
        literal("=\"")
        var value = value
        value.withUTF8 { text in
            for index in text.indices {
                switch unsafe text[index] {
                case UInt8(ascii: "\""): literal("\\\"")
                case UInt8(ascii: "\\"): literal("\\\\")
                case UInt8(ascii: "\n"): literal("\\n")
                case let byte: bytes.append(byte)
                }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func decimal(_ value: UInt64, _ scale: UInt64) {
        digits(value / scale)
        var fraction = value % scale
        guard fraction > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var divisor = scale / 10
        while fraction > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction / divisor))
            fraction %= divisor
            divisor /= 10
        }
    }

    private mutating func digits(_ value: UInt64) {
        guard value > 9 else { return bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value)) }
        var rest = value
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    private mutating func space() { bytes.append(UInt8(ascii: " ")) }

    private mutating func literal(_ text: StaticString) {
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }
}

/// A metric's name, type and meaning.
struct MetricFamily: Sendable {
    /// A type as the text format names it.
    enum Kind: Sendable {
        case counter, gauge, histogram
        /// A gauge that is always 1 and carries labels.
        case info
    }

    /// The name without the suffix of its type: `_total`, `_info`, `_bucket`.
    let name: StaticString
    let kind: Kind
    let help: StaticString

    init(_ name: StaticString, kind: Kind = .gauge, _ help: StaticString) {
        self.name = name
        self.kind = kind
        self.help = help
    }
}

/// The formats of metrics.
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

    /// The format that a client accepts (RFC 9110, section 12.5.1): OpenMetrics if it is named and preferred no less
    /// than text.
    init(accept: String?) {
        var (open, text, any) = (0.0, nil as Double?, nil as Double?)
        for element in (accept ?? "").split(separator: ",") {
            let parts = element.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let type = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            switch type {
            case "application/openmetrics-text":
                let version = parts.dropFirst().first { $0.hasPrefix("version=") }?.dropFirst("version=".count)
                // Clients that accept 1.0 also accept earlier versions, and list them together with it.
                if version == nil || version?.hasPrefix("1.") == true || version == "0.0.1" { open = max(open, weight) }
            case "text/plain": text = max(text ?? 0, weight)
            case "*/*", "text/*": any = max(any ?? 0, weight)
            default: break
            }
        }
        self = open > 0 && open >= text ?? any ?? 0 ? .openMetrics : .text
    }
}
