// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Reports when the contents of files differ from before: at once after a quiet second, and at most once a second.
///
/// A change within the second after a report is reported when that second is over, with whatever the files contain by then: a VPN
/// client writes resolv.conf twice in a row, and the second contents are those that count. Writing the same contents again is
/// reported to nobody.
///
/// On the loop's thread, all of it. What reads the files for itself is created after the watcher: then no change falls between.
package final class ContentsWatcher {
    /// The shortest time between two reports, in nanoseconds.
    static let interval: UInt64 = 1_000_000_000
    /// How many bytes of a file are compared: as many as are read of the largest, the hosts file.
    private static let sizeLimit = HostsFile.sizeLimit

    private let loop: EventLoop
    private let paths: [String]
    private let onChange: () -> Void
    /// A hash of what each file contained; nil until they could be read.
    private var known: [UInt64]?
    private var lastReport: UInt64?
    private var timer: TimerToken?
    private var files: FileWatcher?

    /// Starts watching.
    ///
    /// - Parameters:
    ///   - loop: Where the callback is called.
    ///   - paths: Absolute paths of files, which need not exist.
    ///   - onChange: Called after the contents of any of them changed.
    /// - Throws: ``SystemError`` when there is no inotify instance to be had.
    package init(
        loop: EventLoop,
        paths: [String],
        onChange: @escaping () -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.onChange = onChange
        self.paths = paths
        files = try FileWatcher(loop: loop, paths: paths) { [weak self] _ in self?.compare() }
        known = hashes()
        if known == nil { compare(at: loop.clock.now() + Self.interval) }
    }

    /// Ends the watching; the callback is not called again. A second call does nothing.
    package func close() {
        files?.close()
        files = nil
        if let timer { loop.cancel(timer) }
        timer = nil
    }

    /// The files may have changed: compares, or leaves it to the end of the second.
    func compare() {
        guard timer == nil, files != nil else { return }
        let now = loop.clock.now()
        if let lastReport, now - lastReport < Self.interval { return compare(at: lastReport + Self.interval) }
        guard let found = hashes() else { return compare(at: now + Self.interval) }
        guard found != known else { return }
        known = found
        lastReport = now
        onChange()
    }

    private func compare(at due: UInt64) {
        timer = loop.schedule(at: due) { [weak self] in
            self?.timer = nil
            self?.compare()
        }
    }

    /// nil when a file cannot be read for want of descriptors or memory: that says nothing about the file.
    private func hashes() -> [UInt64]? {
        var hashes: [UInt64] = []
        for path in paths {
            do {
                hashes.append(StableHash.hash(try FileContents.read(path, limit: Self.sizeLimit)))
            } catch {
                guard !error.isExhaustion else { return nil }
                // A file that is not there differs from an empty one.
                hashes.append(StableHash.hash([], seed: UInt64(error.code)))
            }
        }
        return hashes
    }
}
