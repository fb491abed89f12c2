// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux

/// The C library's heap.
public enum HeapMemory {
    /// Gives the memory that is free but held back to the system: after work that needed much and is over. Any thread;
    /// takes milliseconds. The corresponding C function is `malloc_trim(3)`.
    public static func trim() {
        malloc_trim(0)
    }
}
