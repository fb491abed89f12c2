// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A part of the metrics; raw values are what `collect` takes.
enum MetricsPart: String, CaseIterable {
    /// reachd itself and its process.
    case service
    /// The targets, under names of ours.
    case targets
    /// The probes' last results, under blackbox_exporter's names.
    case blackbox
}
