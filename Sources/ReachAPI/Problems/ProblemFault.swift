// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One thing that is wrong with a request, with the query parameter that it is in.
struct ProblemFault: Hashable {
    let parameter: String
    let detail: String
}
