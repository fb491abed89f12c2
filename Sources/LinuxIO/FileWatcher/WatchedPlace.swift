// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A place in the file system whose events mean something for a watched path.
struct WatchedPlace: Hashable {
    /// What the event is about.
    enum Role: Hashable {
        /// The file itself, whatever its name: written in place, or changed from outside a bind mount.
        case file
        /// The entry of this name, which is the file or the symbolic link that leads on to it.
        case entry(String)
        /// The entry of this name further up: a link on the way, or a folder that is not there yet.
        case passage(String)
    }

    /// The kernel's number of the watch.
    let watch: Int32
    let role: Role
}
