// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import Glibc

/// An inotify instance, `inotify(7)`.
struct InotifyQueue {
    /// One thing that happened.
    struct Event {
        /// The number of the watch; -1 for an overflow.
        let watch: Int32
        /// `IN_…`.
        let mask: UInt32
        /// The entry of the folder; empty when the event is about the watched thing itself.
        let name: String
    }

    /// The events of a folder: entries that come, go or are replaced, and the folder's own end.
    static let folderEvents = UInt32(
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF
    )
    /// The events of a file: contents, permissions, its own end.
    static let fileEvents = UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)

    let descriptor: OwnedDescriptor

    /// - Throws: ``SystemError``, usually for `fs.inotify.max_user_instances`.
    init() throws(SystemError) {
        descriptor = OwnedDescriptor(
            owning: try systemCall("inotify_init1") { inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)) }
        )
    }

    /// Watches a file or a folder, and never what a symbolic link leads to; adds to a watch that is there already.
    func watch(_ path: String, for events: UInt32) throws(SystemError) -> Int32 {
        try systemCall("inotify_add_watch(\(path))") {
            unsafe inotify_add_watch(descriptor.number, path, events | UInt32(IN_DONT_FOLLOW) | UInt32(IN_MASK_ADD))
        }
    }

    /// Ends a watch, which may have ended by itself.
    func unwatch(_ watch: Int32) {
        _ = inotify_rm_watch(descriptor.number, watch)
    }

    /// Takes what has happened, some of it; empty when that was all.
    func read() throws(SystemError) -> [Event] {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let result = try nonBlockingCall("read(inotify)") {
            unsafe Glibc.read(descriptor.number, &buffer, buffer.count)
        }
        guard case .done(let count) = result else { return [] }
        return Self.events(in: buffer.prefix(count))
    }

    private static func events(in bytes: ArraySlice<UInt8>) -> [Event] {
        let headerSize = MemoryLayout<inotify_event>.size
        var events: [Event] = []
        var rest = bytes
        while rest.count >= headerSize {
            let header = unsafe rest.withUnsafeBytes { unsafe $0.loadUnaligned(as: inotify_event.self) }
            let name = rest.dropFirst(headerSize).prefix(Int(header.len)).prefix { $0 != 0 }
            events.append(Event(watch: header.wd, mask: header.mask, name: String(decoding: name, as: UTF8.self)))
            rest = rest.dropFirst(headerSize + Int(header.len))
        }
        return events
    }
}
