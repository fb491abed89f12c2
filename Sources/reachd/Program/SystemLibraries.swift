// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import History
import LinuxIO
import Probing
import Schema
import ServerTrust

/// The libraries of the system that the program behaves as it does because of.
enum SystemLibraries {
    /// All of them, in the versions that are loaded.
    static var all: [SystemLibrary] { [.cAres, .microHTTPD, .openSSL, .curl, .sqlite] }

    /// Refuses to run with a version that is not known to work: a library that behaves otherwise than the tests saw can make
    /// every verdict wrong, and not be noticed.
    static func check() throws(ExitStatus) {
        let faults = all.compactMap(\.fault)
        guard !faults.isEmpty else { return }
        for fault in faults { _ = Complaint.tell("unsupported_library: \(fault)", .unavailable) }
        throw .unavailable
    }
}
