// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import Glibc

/// A POSIX thread, joined or detached by its creator. It waits for events and passes them on: it asks the
/// scheduler for short and early turns.
package struct Thread: Sendable {
    private let handle: pthread_t
    private let ended: Semaphore

    /// Starts a thread that runs a body once.
    ///
    /// - Parameters:
    ///   - name: The name that `ps -L` and debuggers show; longer names than 15 bytes are cut.
    ///   - body: What to run. It is released on the thread when it ends.
    /// - Throws: ``SystemError`` from `pthread_create(3)`.
    package init(name: String, body: @escaping @Sendable () -> Void) throws(SystemError) {
        var handle = pthread_t()
        let ended = Semaphore()
        let box = unsafe Unmanaged.passRetained(ThreadBody(name: name, ended: ended, run: body))
        let code = unsafe pthread_create(&handle, nil, threadMain, box.toOpaque())
        guard code == 0 else {
            unsafe box.release()
            throw SystemError(code: code, operation: "pthread_create")
        }
        self.handle = handle
        self.ended = ended
    }

    /// Whether the caller runs on this thread.
    package var isCurrent: Bool { pthread_equal(handle, pthread_self()) != 0 }

    /// Lets the thread go its own way: what it holds is freed when it ends. Nothing of it may be used after that.
    package func detach() {
        pthread_detach(handle)
    }

    /// Waits for the thread to end; called on the thread itself it lets it go its own way instead.
    package func end() {
        if isCurrent {
            detach()
        } else {
            pthread_join(handle, nil)
        }
    }

    /// Waits for the thread to end, for a limited time, and lets it go its own way then.
    ///
    /// - Returns: Whether it ended; not when called on the thread itself.
    package func end(within limit: Duration) -> Bool {
        guard !isCurrent, ended.wait(within: limit) else {
            detach()
            return false
        }
        pthread_join(handle, nil)
        return true
    }
}

private final class ThreadBody: Sendable {
    let name: String
    let ended: Semaphore
    let run: @Sendable () -> Void

    init(name: String, ended: Semaphore, run: @escaping @Sendable () -> Void) {
        self.name = name
        self.ended = ended
        self.run = run
    }
}

private func threadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    let body = unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue()
    unsafe body.name.withCString { unsafe reachd_name_thread($0) }
    reachd_prefer_prompt_scheduling()
    body.run()
    body.ended.post()
    return nil
}
