// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Probing

/// The kind of probe that `--type` takes.
struct CheckKind: ExpressibleByArgument {
    static let allValueStrings = ProbeKind.all.map(\.description.name)

    /// Its name.
    let name: String

    init?(argument: String) {
        guard Self.allValueStrings.contains(argument) else { return nil }
        name = argument
    }
}
