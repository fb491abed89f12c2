// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Fleet
import Glibc
import LinuxIO
import Monitoring

/// Applies a file when it starts and whenever the file changes, and prints a line for each application.
///
/// It writes only then: two processes that apply different files of one source do not overwrite each other without end. What is
/// refused stays unapplied until the file changes; while the database is away, or what it has is in the way, it is tried again.
final class FleetApplyWatch: Sendable {
    /// The pause until an application that other declarations prevented is tried again.
    private static let pause = Duration.seconds(60)

    private let application: FleetApplication
    private let loop: EventLoop
    private let state: ThreadConfined<State>

    /// What only the loop's thread touches.
    private final class State {
        var watcher: FileWatcher?
        var timer: TimerToken?
        var isBusy = false
        /// Whether the file changed during an application.
        var isChanged = false
        var delay = RetryDelay()
        /// What this process applied last.
        var applied: Content?
        /// The last reported failure: what fails again for the same reason is silent.
        var failure: [String] = []
    }

    /// Documents with equal ones need not be applied one after the other.
    private struct Content: Equatable {
        let source: String
        let version: Int64?
        let digest: String

        init(_ document: FleetDocument) {
            (source, version, digest) = (document.source, document.version, document.digest)
        }
    }

    init(_ application: FleetApplication) throws(SystemError) {
        self.application = application
        loop = try EventLoop(name: "reachd-fleet")
        state = ThreadConfined(State(), to: loop)
    }

    /// Begins to watch, and applies the file as it is.
    ///
    /// - Throws: when files cannot be watched.
    func start() throws(SystemError) {
        let failure: SystemError?? = loop.executeAndWait { [self] in
            do throws(SystemError) {
                let path = Self.absolute(application.file)
                let watcher = try FileWatcher(loop: loop, paths: [path]) { [weak self] _ in self?.changed() }
                if let failure = watcher.failures[path] { return failure }
                state.value.watcher = watcher
                apply()
                return nil
            } catch {
                return error
            }
        }
        if case let failure?? = failure { throw failure }
    }

    /// Applies the file again, although it did not change. Any thread.
    func reload() {
        loop.execute { [weak self] in
            self?.state.value.applied = nil
            self?.changed()
        }
    }

    /// Ends: an application whose statement was sent may be stored or not.
    func close() {
        loop.execute { [self] in state.value.watcher?.close() }
        loop.close(within: .seconds(1))
    }

    // MARK: On the loop's thread

    private func changed() {
        let state = state.value
        guard !state.isBusy else { return state.isChanged = true }
        state.delay.reset()
        apply()
    }

    private func apply() {
        let state = state.value
        if let timer = state.timer { loop.cancel(timer) }
        state.timer = nil
        let document: FleetDocument
        do throws(ConfigurationDiagnostics) {
            document = try FleetDocumentReader.read(file: application.file)
        } catch {
            return report(error.diagnostics.map { "\($0)" })
        }
        // The change of a file can be several events.
        guard Content(document) != state.applied else { return state.failure = [] }
        state.isBusy = true
        application.apply(document, on: loop) { [weak self] result in
            guard let self else { return }
            state.isBusy = false
            finish(result, document)
            guard state.isChanged else { return }
            state.isChanged = false
            changed()
        }
    }

    private func finish(_ result: Result<FleetDifference, FleetDeclarationError>, _ document: FleetDocument) {
        switch result {
        case .success(let difference) where difference.conflicts.isEmpty:
            warn(difference, document)
            let state = state.value
            state.delay.reset()
            state.failure = []
            state.applied = Content(document)
            let version = document.version.map { "version \($0) of " } ?? ""
            let counts = FleetApplication.counts(difference, document)
            StandardStream.output.write(line: "applied \(version)\(document.source): \(counts)")
        case .success(let difference):
            report(application.lines(difference.conflicts))
            retry(.later)
        case .failure(let error):
            report(["reachd: \(TerminalText.safe(FleetApplication.words(error)))"])
            retry(error.retry)
        }
    }

    /// Says that another process applied other content since this one did: without versions the last change wins.
    private func warn(_ difference: FleetDifference, _ document: FleetDocument) {
        guard document.version == nil, let own = state.value.applied, let previous = difference.previous,
            previous.digest != own.digest, previous.digest != document.digest
        else { return }
        StandardStream.error.write(
            line: "reachd: replaced other content of the source \(document.source), applied "
                + "\(TerminalText.safe(previous.place)); with a version in each file an older one is refused"
        )
    }

    private func report(_ lines: [String]) {
        guard lines != state.value.failure else { return }
        state.value.failure = lines
        for line in lines { StandardStream.error.write(line: line) }
    }

    private func retry(_ retry: FleetDeclarationError.Retry) {
        let delay: UInt64
        switch retry {
        case .soon: delay = state.value.delay.next()
        case .later: delay = Self.pause.nanoseconds
        case .never: return
        }
        state.value.timer = loop.schedule(after: delay) { [weak self] in
            self?.state.value.timer = nil
            self?.apply()
        }
    }

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(folder) }
        return unsafe String(cString: folder) + "/" + path
    }
}
