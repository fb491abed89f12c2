// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser

/// When output is coloured.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
    case auto, always, never
}
