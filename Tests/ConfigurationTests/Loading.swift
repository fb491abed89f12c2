// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

@testable import Configuration

/// Loads a text; nil faults mean success.
func load(
    _ text: String,
    environment: [String: String] = [:],
    overrides: [ConfigurationOverride] = []
) throws(ConfigurationDiagnostics) -> ReachdConfiguration {
    try ConfigurationLoader(environment: environment, overrides: overrides)
        .load(bytes: Array(text.utf8), path: "reachd.yaml").configuration
}

/// The faults of a text, as lines; empty when there are none.
func diagnostics(
    _ text: String,
    environment: [String: String] = [:],
    overrides: [ConfigurationOverride] = []
) -> [String] {
    faultValues(text, environment: environment, overrides: overrides).map(\.description)
}

/// The faults of a text; empty when there are none.
func faultValues(
    _ text: String,
    environment: [String: String] = [:],
    overrides: [ConfigurationOverride] = []
) -> [ConfigurationDiagnostic] {
    do throws(ConfigurationDiagnostics) {
        _ = try load(text, environment: environment, overrides: overrides)
        return []
    } catch {
        return error.diagnostics
    }
}
