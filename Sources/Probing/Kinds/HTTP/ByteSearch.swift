// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CLinux

/// A text in bytes, in linear time.
enum ByteSearch {
    static func contains(_ bytes: [UInt8], _ text: [UInt8]) -> Bool {
        unsafe reachd_contains(bytes, bytes.count, text, text.count) != 0
    }
}
