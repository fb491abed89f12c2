// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// Where the event log is when the configuration does not say.
enum HistoryPlace {
    /// The file in the first folder that can be written; nil when there is none.
    ///
    /// - Parameter environment: `STATE_DIRECTORY` is what systemd made for the service; `XDG_STATE_HOME` and `HOME` are those of
    ///   whoever runs it by hand.
    static func standard(_ environment: [String: String]) -> String? {
        folders(environment).first(where: isWritable).map { "\($0)/reachd.db" }
    }

    private static func folders(_ environment: [String: String]) -> [String] {
        var folders: [String] = []
        // Several are separated by colons; the first is the service's own.
        if let given = environment["STATE_DIRECTORY"]?.split(separator: ":").first { folders.append(String(given)) }
        folders.append("/var/lib/reachd")
        if let home = environment["XDG_STATE_HOME"], home.hasPrefix("/") {
            folders.append(make([home, "\(home)/reachd"]))
        } else if let home = environment["HOME"], home.hasPrefix("/"), isWritable(home) {
            folders.append(make(["\(home)/.local", "\(home)/.local/state", "\(home)/.local/state/reachd"]))
        }
        return folders
    }

    /// Makes folders, each inside the one before; what cannot be made shows in the last.
    private static func make(_ folders: [String]) -> String {
        for folder in folders { unsafe mkdir(folder, 0o700) }
        return folders.last ?? ""
    }

    private static func isWritable(_ folder: String) -> Bool { unsafe access(folder, W_OK | X_OK) == 0 }
}
