// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Monitoring
import Probing

/// A thread that sends messages: its event loop, with the resolver and the HTTP client on it.
final class SendingThread: Sendable {
    /// What only the loop's thread touches.
    private final class Confined {
        var resolver: Resolver?
        var runner: ProbeRunner?
        var files: ContentsWatcher?
        var sender: MessageSender?
    }

    let loop: EventLoop
    private let confined: ThreadConfined<Confined>

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: the thread's name.
    ///   - resolverFiles: where the resolver's configuration is read, now and when it changes.
    ///   - clock: the wall clock.
    ///   - timers: runs the time limits.
    ///   - prologue: runs first on the thread.
    /// - Throws: ``SystemError`` when a descriptor or the thread could not be had.
    init(
        name: String,
        resolverFiles: ResolverConfigurationFiles,
        clock: any WallClock,
        timers: any MonotonicClock,
        prologue: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let loop = try EventLoop(name: name, clock: timers, prologue: prologue)
        self.loop = loop
        confined = ThreadConfined(Confined(), to: loop)
        let failure = loop.executeAndWait { [confined] () -> SystemError? in
            do {
                let parts = confined.value
                parts.files = try ContentsWatcher(loop: loop, paths: resolverFiles.all) { [weak parts] in
                    _ = parts?.resolver?.reload()
                }
                let resolver = try Resolver(loop: loop, files: resolverFiles)
                parts.resolver = resolver
                let runner = ProbeRunner(loop: loop, resolver: resolver)
                parts.runner = runner
                parts.sender = MessageSender(runner: runner, clock: clock)
                return nil
            } catch {
                return error as? SystemError ?? SystemError(code: ENOMEM, operation: "c-ares")
            }
        }
        if let failure = failure ?? nil {
            close()
            throw failure
        }
    }

    /// Sends messages; nil after ``close()``. On the loop's thread.
    var sender: MessageSender? { confined.value.sender }

    /// Ends all requests and the thread; a second call does nothing. Any thread but the loop's.
    func close() {
        _ = loop.executeAndWait { [confined] in
            confined.value.runner?.close()
            confined.value.files?.close()
        }
        // The completions of what was cancelled come in a further turn.
        _ = loop.executeAndWait { [confined] in
            let parts = confined.value
            parts.resolver?.close()
            (parts.runner, parts.files, parts.resolver, parts.sender) = (nil, nil, nil, nil)
        }
        loop.close()
    }
}
