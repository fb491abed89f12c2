// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import Glibc

/// Reports when files change, in any way: rewritten in place, renamed over, created, removed, a symbolic link on the
/// way pointed elsewhere, a bind-mounted file changed from outside.
///
/// A file has two watches, itself and its folder, and so has every symbolic link on the way to it; where a folder is
/// missing its nearest parent is watched until it comes. What the links lead to is found anew after each event. A path may
/// lead to a folder: then it changes when one of its entries does.
/// Specification: linux-paths.md, section 8. Not seen: a folder above the file's own that is renamed while links do
/// not lead through it, a new mount over the file, and changes that another host makes on a network file system.
///
/// On the loop's thread, all of it. Watching costs nothing while nothing changes in those folders.
package final class FileWatcher {
    /// The paths with a place that could not be watched, and why: usually permission, or
    /// `fs.inotify.max_user_watches`.
    package var failures: [String: SystemError] { trails.compactMapValues(\.failure) }

    /// How long a file that is being written may stay open before it counts as changed anyway, in nanoseconds.
    static let settleTime: UInt64 = 500_000_000
    /// How many reads one turn of the loop makes.
    private static let readLimit = 64

    private let loop: EventLoop
    private let onChange: (Set<String>) -> Void
    private let inotify: InotifyQueue
    private var token: WatchToken?
    private var trails: [String: PathTrail] = [:]
    private var users: [Int32: [String: [WatchedPath.Role]]] = [:]
    private var unsettled: Set<String> = []
    private var settleTimer: TimerToken?

    /// Starts watching. On the loop's thread.
    ///
    /// - Parameters:
    ///   - loop: Where the callback is called.
    ///   - paths: Absolute paths of files and folders, which need not exist.
    ///   - onChange: Called with those of the paths that changed or may have, once for all that happened in one turn of
    ///     the loop. The files are as they are by then, which may be as they were.
    /// - Throws: ``SystemError`` when there is no inotify instance to be had. A place that cannot be watched is no
    ///   error (``failures``).
    package init(
        loop: EventLoop,
        paths: some Sequence<String>,
        onChange: @escaping (Set<String>) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.onChange = onChange
        inotify = try InotifyQueue()
        for path in paths { follow(path) }
        token = try loop.watch(inotify.descriptor.number, for: .readable) { [weak self] _ in self?.read() }
    }

    /// Ends the watching; the callback is not called again. A second call does nothing.
    package func close() {
        if let token { loop.unwatch(token) }
        token = nil
        if let settleTimer { loop.cancel(settleTimer) }
        settleTimer = nil
        for watch in users.keys { inotify.unwatch(watch) }
        users = [:]
        trails = [:]
    }

    /// Walks to a path anew and keeps exactly the watches that this takes.
    ///
    /// - Returns: Whether it leads to another file than before.
    @discardableResult
    private func follow(_ path: String) -> Bool {
        let old = trails[path]
        let new = PathTrail(to: path, inotify: inotify)
        trails[path] = new
        for place in new.places.subtracting(old?.places ?? []) {
            users[place.watch, default: [:]][path, default: []].append(place.role)
        }
        for place in old?.places.subtracting(new.places) ?? [] {
            users[place.watch]?[path]?.removeAll { $0 == place.role }
            if users[place.watch]?[path]?.isEmpty == true { users[place.watch]?[path] = nil }
            if users[place.watch]?.isEmpty == true {
                users[place.watch] = nil
                inotify.unwatch(place.watch)
            }
        }
        return old?.file != new.file
    }

    private func read() {
        var changed: Set<String> = []
        var touched: Set<String> = []
        for _ in 0..<Self.readLimit {
            // inotify(7) names no failure that could happen here; the loop calls again for whatever is left.
            guard let events = try? inotify.read(), !events.isEmpty else { break }
            for event in events { sort(event, changed: &changed, touched: &touched) }
        }
        for path in touched.union(changed) where follow(path) { changed.insert(path) }
        unsettled.subtract(changed)
        updateSettleTimer()
        if !changed.isEmpty { onChange(changed) }
    }

    private func sort(_ event: InotifyQueue.Event, changed: inout Set<String>, touched: inout Set<String>) {
        guard event.mask & UInt32(IN_Q_OVERFLOW) == 0 else {
            changed.formUnion(trails.keys)
            return
        }
        let isOver = event.mask & UInt32(IN_IGNORED) != 0
        for (path, roles) in users[event.watch] ?? [:] {
            for role in roles {
                switch role {
                // An event with a name is one of an entry: the path leads to a folder.
                case .file where !isOver:
                    let isBeingMade = event.mask & UInt32(IN_CREATE) != 0
                    if event.mask & UInt32(IN_MODIFY) != 0 || isBeingMade {
                        // A writer has finished when the file is closed; half a file is useless.
                        unsettled.insert(path)
                    } else {
                        changed.insert(path)
                    }
                case .entry(event.name): changed.insert(path)
                case .passage(event.name): touched.insert(path)
                // The folder itself went or moved.
                default: if event.name.isEmpty { touched.insert(path) }
                }
            }
        }
        if isOver {
            // The kernel has ended this watch; its number will not come again for anything else.
            for path in (users.removeValue(forKey: event.watch) ?? [:]).keys {
                trails[path]?.forget(event.watch)
            }
        }
    }

    private func updateSettleTimer() {
        if unsettled.isEmpty {
            if let settleTimer { loop.cancel(settleTimer) }
            settleTimer = nil
        } else if settleTimer == nil {
            settleTimer = loop.schedule(after: Self.settleTime) { [weak self] in
                guard let self else { return }
                settleTimer = nil
                let changed = unsettled
                unsettled = []
                onChange(changed)
            }
        }
    }
}
