// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Glibc

/// Where the service keeps what outlives a restart, for files that the configuration does not place.
enum StateDirectory {
    /// A file in it.
    enum File: String {
        /// The event log.
        case eventLog = "reachd.db"
        /// The targets of the HTTP interface.
        case targets = "targets.db"
        /// The same, as version 0.1.0 wrote them.
        case formerTargets = "targets.json"
    }

    /// The path of a file in the first folder that can be written; nil when there is none.
    ///
    /// - Parameters:
    ///   - environment: `STATE_DIRECTORY` is what systemd made for the service; `XDG_STATE_HOME` and `HOME` are those of the user
    ///     who runs it by hand.
    ///   - isTrial: Whether nothing is to be made: folders below `HOME` count when they could be.
    static func path(of file: File, _ environment: [String: String], isTrial: Bool = false) -> String? {
        folder(environment, isTrial: isTrial).map { "\($0)/\(file.rawValue)" }
    }

    private static func folder(_ environment: [String: String], isTrial: Bool) -> String? {
        for chain in folders(environment) {
            if !isTrial, chain.count > 1 { make(chain) }
            guard let folder = chain.last else { continue }
            if isWritable(folder) { return folder }
            // The first one that is missing is made in the last one that is there.
            if isTrial, let missing = chain.first(where: { !isThere($0) }), chain.count > 1, isWritable(above(missing))
            {
                return folder
            }
        }
        return nil
    }

    /// Folders by rank; of several in one line each is inside the one before, and those that are missing may be made.
    private static func folders(_ environment: [String: String]) -> [[String]] {
        var folders: [[String]] = []
        // Several are separated by colons; the first is the service's own.
        if let given = environment["STATE_DIRECTORY"]?.split(separator: ":").first { folders.append([String(given)]) }
        folders.append(["/var/lib/reachd"])
        if let home = environment["XDG_STATE_HOME"], home.hasPrefix("/") {
            folders.append([home, "\(home)/reachd"])
        } else if let home = environment["HOME"], home.hasPrefix("/"), isWritable(home) {
            folders.append(["\(home)/.local", "\(home)/.local/state", "\(home)/.local/state/reachd"])
        }
        return folders
    }

    /// Makes folders; what cannot be made shows in the last.
    private static func make(_ folders: [String]) {
        for folder in folders { unsafe mkdir(folder, 0o700) }
    }

    /// The folder that a path is in.
    static func above(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func isThere(_ folder: String) -> Bool { unsafe access(folder, F_OK) == 0 }

    private static func isWritable(_ folder: String) -> Bool { unsafe access(folder, W_OK | X_OK) == 0 }
}

extension HistoryConfiguration {
    /// The event log's file: the configured one, else the one in the state directory; nil when there is no folder for it.
    func file(_ environment: [String: String], isTrial: Bool = false) -> String? {
        path ?? StateDirectory.path(of: .eventLog, environment, isTrial: isTrial)
    }
}
