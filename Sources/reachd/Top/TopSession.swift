// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Monitoring

/// The loop of `reachd top`: keys, signals, the feed's changes, and the screen. One thread.
final class TopSession {
    /// How often the screen is drawn at most, and at least, in milliseconds.
    private static let drawing: (least: Int, most: Int) = (250, 1_000)
    /// How long an escape may be the beginning of a key, in milliseconds.
    private static let escape = 50
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP]

    private let feed: TopFeed
    private let wake: OwnedDescriptor
    private let signals: SignalRelay
    private let terminal: Terminal
    private let screen = FullScreen()
    private var view = TopView()
    private var input: [UInt8] = []
    private var size = FullScreen.size
    private var lastDrawn: UInt64 = 0

    /// - Parameters:
    ///   - wake: the event counter of the feed and the signals.
    ///   - signals: those of ``prepare(_:)``.
    init(_ feed: TopFeed, wake: OwnedDescriptor, signals: SignalRelay, terminal: Terminal) {
        self.feed = feed
        self.wake = wake
        self.signals = signals
        self.terminal = terminal
    }

    /// Takes the signals over; before any other thread is started.
    static func prepare(wake: OwnedDescriptor) throws(SystemError) -> SignalRelay {
        try SignalRelay(signals, wake: wake)
    }

    /// Runs until a person ends it.
    ///
    /// - Returns: The signal that ended it; nil for a key.
    func run() throws(SystemError) -> Int32? {
        try screen.enter()
        defer { screen.leave() }
        draw()
        var isDirty = false
        while true {
            let sinceDrawn = Int((SystemMonotonicClock().now() - lastDrawn) / 1_000_000)
            var wait = max((isDirty ? Self.drawing.least : Self.drawing.most) - sinceDrawn, 0)
            if !input.isEmpty { wait = min(wait, Self.escape) }
            var places = [
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&places, 2, Int32(wait))
            if places[1].revents != 0 {
                wake.drain()
                isDirty = true
                for signal in signals.take() {
                    switch signal {
                    case SIGWINCH:
                        size = FullScreen.size
                        screen.invalidate()
                        draw()
                    case SIGTSTP: try suspend()
                    default: return signal
                    }
                }
            }
            if places[0].revents != 0 {
                var buffer = [UInt8](repeating: 0, count: 256)
                let length = unsafe read(STDIN_FILENO, &buffer, buffer.count)
                // The terminal is gone.
                guard length > 0 || length == -1 && errno == EINTR else { return nil }
                input += buffer.prefix(max(length, 0))
                guard press(isComplete: false) else { return nil }
            } else if count == 0, !input.isEmpty {
                guard press(isComplete: true) else { return nil }
            }
            guard StandardStream.outputFailure == nil else { return nil }
            let elapsed = Int((SystemMonotonicClock().now() - lastDrawn) / 1_000_000)
            if elapsed >= (isDirty ? Self.drawing.least : Self.drawing.most) {
                draw()
                isDirty = false
            }
        }
    }

    /// - Returns: Whether to go on.
    private func press(isComplete: Bool) -> Bool {
        let keys = TerminalKey.read(&input, isComplete: isComplete)
        guard !keys.isEmpty else { return true }
        let model = feed.model
        let page = drawing.page(model)
        for key in keys {
            guard view.apply(key, page: page, count: view.targets(model).count) else { return false }
        }
        draw()
        return true
    }

    private var drawing: TopScreen { TopScreen(terminal: terminal, width: size.width, height: size.height) }

    private func draw() {
        screen.show(drawing.draw(feed.model, view, now: SystemWallClock().now()))
        lastDrawn = SystemMonotonicClock().now()
    }

    /// Stops as a shell's job does, and goes on later.
    private func suspend() throws(SystemError) {
        screen.leave()
        raise(SIGSTOP)
        try screen.enter()
        size = FullScreen.size
        draw()
    }
}
