// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// Which start of the machine this is.
enum BootIdentity {
    /// What the kernel calls it (random(4), `/proc/sys/kernel/random/boot_id`); `unknown` where it does not say.
    static let current: String = {
        let descriptor = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "unknown" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        let text = bytes.prefix(max(0, count)).prefix { $0 > 0x20 && $0 < 0x7f }
        return text.isEmpty ? "unknown" : String(decoding: text, as: UTF8.self)
    }()
}
