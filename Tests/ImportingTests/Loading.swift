// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// The configuration that a text says.
func load(_ text: String, environment: [String: String] = [:]) throws(ConfigurationDiagnostics) -> ReachdConfiguration {
    try ConfigurationLoader(environment: environment).load(bytes: Array(text.utf8), path: "reachd.yaml").configuration
}

/// The faults of a text; empty when there are none.
func faults(_ text: String, environment: [String: String]) -> [ConfigurationDiagnostic] {
    do throws(ConfigurationDiagnostics) {
        _ = try load(text, environment: environment)
        return []
    } catch {
        return error.diagnostics
    }
}
