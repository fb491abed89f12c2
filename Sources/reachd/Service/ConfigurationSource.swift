// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration

/// Where the configuration comes from, so that it can be read again.
struct ConfigurationSource: Sendable {
    /// The file; nil for none.
    let path: String?
    let loader: ConfigurationLoader

    func load() throws(ConfigurationFaults) -> LoadedConfiguration {
        try loader.load(file: path)
    }
}
