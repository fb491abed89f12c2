// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One thing that is wrong with a request, or with the configuration that it is about.
struct ProblemFault: Hashable {
    /// The query parameter that it is in; empty for none.
    var parameter = ""
    /// The place in a body or in the configuration, as a JSON Pointer (RFC 6901); nil for none.
    var pointer: String?
    /// The place in a file, both counted from one; nil for none.
    var line: Int?
    var column: Int?
    /// What kind of fault it is; nil where there are no kinds.
    var code: String?
    let detail: String
}
