// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import Synchronization
import Traffic

/// Writes all metrics in chunks of some kilobytes: a family for all targets, then the next.
///
/// The records are taken at the beginning, so that all samples of a target are of the same moment.
final class MetricsRendering {
    /// The approximate bytes of a chunk: half a millisecond's work.
    private static let pieceSize = 24 << 10
    /// Targets examined before a chunk is returned, which may be empty.
    private static let span = 2_048

    private enum Stage {
        case service
        /// Collects the targets after an ordinal.
        case gathering(UInt64)
        /// Writes a family, starting at a target.
        case family(Int, from: Int)
        case over
    }

    private let source: any TargetSource
    private let service: ServiceMetrics?
    private let traffic: (String) -> TrafficSummary?
    private let families: [TargetFamily]
    private let probeFamilies: [ProbeFamily]
    private var writer: MetricsWriter
    private var stage: Stage
    private var targets: [TargetSample] = []
    private var probes: [ProbeSample] = []

    /// - Parameters:
    ///   - service: the metrics of reachd itself; nil for none.
    ///   - traffic: this machine's connections with a target.
    init(
        _ source: any TargetSource,
        parts: Set<MetricsPart>,
        format: MetricsFormat,
        service: ServiceMetrics?,
        traffic: @escaping (String) -> TrafficSummary? = { _ in nil }
    ) {
        self.traffic = traffic
        self.source = source
        self.service = service
        families = parts.contains(.targets) ? TargetFamily.all : []
        probeFamilies = parts.contains(.blackbox) ? ProbeFamily.all : []
        writer = MetricsWriter(format)
        stage = .service
    }

    /// The next chunk, possibly empty; nil after the last.
    func next() -> [UInt8]? {
        switch stage {
        case .service:
            service?.write(to: &writer)
            stage = families.isEmpty && probeFamilies.isEmpty ? .family(0, from: 0) : .gathering(0)
        case .gathering(let ordinal):
            gather(after: ordinal)
        case .family(let family, let start):
            writeFamilies(from: family, start)
        case .over:
            return nil
        }
        return writer.take()
    }

    /// All chunks at once.
    func whole() -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = next() { bytes += piece }
        return bytes
    }

    private func gather(after ordinal: UInt64) {
        let page = source.page(after: ordinal, limit: 512)
        for record in page.records {
            guard let sample = TargetSample(record, traffic: traffic) else { continue }
            if !families.isEmpty { targets.append(sample) }
            if !probeFamilies.isEmpty, let probe = sample.probe { probes.append(probe) }
        }
        if !page.isLast, let last = page.records.last?.target?.ordinal {
            stage = .gathering(last)
        } else {
            stage = .family(0, from: 0)
        }
    }

    private func writeFamilies(from first: Int, _ start: Int) {
        var start = start
        var visited = 0
        for index in first..<families.count + probeFamilies.count {
            let count: Int
            if index < families.count {
                count = targets.count
                let family = families[index]
                if start == 0 { writer.begin(family.family) }
                while start < count, !isFull(&visited) {
                    family.write(&writer, targets[start])
                    start += 1
                }
            } else {
                count = probes.count
                let family = probeFamilies[index - families.count]
                if start == 0 { writer.begin(family.family) }
                while start < count, !isFull(&visited) {
                    family.write(&writer, probes[start])
                    start += 1
                }
            }
            guard start == count else {
                stage = .family(index, from: start)
                return
            }
            start = 0
        }
        writer.end()
        stage = .over
    }

    private func isFull(_ visited: inout Int) -> Bool {
        visited += 1
        return writer.bytes.count >= Self.pieceSize || visited > Self.span
    }
}

/// A part of the metrics; raw values are those of `collect`.
enum MetricsPart: String, CaseIterable {
    /// reachd itself and its process.
    case service
    /// The targets, under reachd's own names.
    case targets
    /// The probes' last results, under blackbox_exporter's names.
    case blackbox
}
