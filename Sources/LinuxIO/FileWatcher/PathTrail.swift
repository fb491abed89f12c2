// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import Glibc

/// The way from the root to a file, link by link, with a watch on every place where it could change.
///
/// A folder is watched before its entry is looked at, so what changes in between is an event and not a gap.
struct PathTrail: Equatable {
    /// What a trail ended at.
    struct File: Equatable {
        let device: dev_t
        let inode: ino_t
    }

    private(set) var places: Set<WatchedPath> = []
    /// nil when the file is not there, or cannot be got at.
    private(set) var file: File?
    /// Why a place could not be watched; its changes go unseen.
    private(set) var failure: SystemError?

    /// As many links in a row as the kernel follows (path_resolution(7)).
    private static let linkLimit = 40

    /// How often a walk starts over because the ground is taken away under it.
    private static let walkLimit = 100

    /// Walks to an absolute path and watches the way.
    init(to path: String, inotify: borrowing InotifyQueue) {
        for _ in 0..<Self.walkLimit {
            failure = nil
            file = nil
            if walk(to: path, inotify) { return }
        }
    }

    /// One walk.
    ///
    /// - Returns: false where a folder that was there goes before it is watched: its return is reported by a place
    ///   above it, which only a new walk looks for.
    private mutating func walk(to path: String, _ inotify: borrowing InotifyQueue) -> Bool {
        var left = Self.components(of: path)
        var folder = ""
        var links = 0
        while let name = left.popFirst() {
            if name == ".." {
                folder = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)])
                continue
            }
            let entry = "\(folder)/\(name)"
            var info = stat()
            var exists = unsafe lstat(entry, &info) == 0
            let isPlainFolder = exists && info.st_mode & S_IFMT == S_IFDIR
            if !isPlainFolder || left.isEmpty {
                let role: WatchedPath.Role = left.isEmpty ? .entry(name) : .passage(name)
                guard add(folder.isEmpty ? "/" : folder, inotify, InotifyQueue.folderEvents, role) else { return false }
                exists = unsafe lstat(entry, &info) == 0
            }
            guard exists else { return true }
            switch info.st_mode & S_IFMT {
            case S_IFLNK:
                links += 1
                guard links <= Self.linkLimit, let target = Self.target(of: entry) else { return true }
                if target.hasPrefix("/") { folder = "" }
                left = Self.components(of: target) + left
            case S_IFDIR where !left.isEmpty:
                folder = entry
            case _ where left.isEmpty:
                let isFolder = info.st_mode & S_IFMT == S_IFDIR
                let events = InotifyQueue.fileEvents | (isFolder ? InotifyQueue.folderEvents : 0)
                guard add(entry, inotify, events, .file) else { return false }
                file = File(device: info.st_dev, inode: info.st_ino)
            default:
                // A file where a folder should be: the watch above reports when that changes.
                return true
            }
        }
        return true
    }

    /// Drops a watch that the kernel has ended.
    mutating func forget(_ watch: Int32) {
        places = places.filter { $0.watch != watch }
    }

    /// - Returns: false when there is nothing any more to watch. Any other failure leaves the rest of the way to go.
    private mutating func add(
        _ path: String,
        _ inotify: borrowing InotifyQueue,
        _ events: UInt32,
        _ role: WatchedPath.Role
    ) -> Bool {
        do {
            places.insert(WatchedPath(watch: try inotify.watch(path, for: events), role: role))
            return true
        } catch {
            failure = error
            return error.code != ENOENT && error.code != ENOTDIR
        }
    }

    private static func components(of path: String) -> ArraySlice<String> {
        path.split(separator: "/").map(String.init).filter { $0 != "." }[...]
    }

    private static func target(of link: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// A place in the file system whose events mean something for a watched path.
struct WatchedPath: Hashable {
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
