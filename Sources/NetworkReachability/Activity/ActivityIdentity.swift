// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Who is counted.
///
/// A task that is gone without its end leaves an identity behind; the next task at its place takes it over, and ends it.
enum ActivityIdentity: Sendable, Hashable {
    case token(UInt64)
    case task(ObjectIdentifier)
}
