// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import HTTPServer
import LinuxIO
import Logging

/// Reads the certificates again when their files change or on request, and logs the result.
///
/// A certificate and its key cannot be replaced in one step. Between the steps they do not fit, the old pair stays, and
/// the second step is an event of its own.
final class CertificateMonitor: Sendable {
    /// The pause after a change, for the other file to change too: nanoseconds.
    private static let pause: UInt64 = 500_000_000

    private let server: HTTPServer
    private let paths: [String]
    private let loop: EventLoop
    private let log: Logger
    private let loopState: ThreadConfined<Confined>
    private var confined: Confined { loopState.value }

    /// What only the loop's thread touches.
    private final class Confined {
        var watcher: FileWatcher?
        var timer: TimerToken?
    }

    /// - Parameters:
    ///   - server: Runs already.
    ///   - paths: The files; with none, nothing is ever done.
    ///   - loop: Where the files are read.
    init(server: HTTPServer, paths: [String], loop: EventLoop, log: Logger) {
        self.server = server
        self.paths = paths
        self.loop = loop
        self.log = log
        loopState = ThreadConfined(Confined(), to: loop)
    }

    /// Begins to watch.
    func start() {
        guard !paths.isEmpty else { return }
        loop.execute { [self] in
            do throws(SystemError) {
                confined.watcher = try FileWatcher(loop: loop, paths: paths) { [weak self] _ in self?.changed() }
            } catch {
                log.warning(
                    "cannot watch certificate files; they are reloaded on SIGHUP only",
                    metadata: ["reason": "\(error)"]
                )
            }
            for (path, error) in confined.watcher?.failures ?? [:] {
                log.warning(
                    "cannot watch a certificate file; it is reloaded on SIGHUP only",
                    metadata: ["file": "\(path)", "reason": "\(error)"]
                )
            }
            // What changed since the server read them, and whether one has expired.
            reload()
        }
    }

    /// Reads all certificates again. On the loop's thread.
    func reload() {
        guard !paths.isEmpty else { return }
        for reload in server.reloadCertificates() {
            let file: Logger.MetadataValue = "\(reload.files.certificate)"
            switch reload.outcome {
            case .unchanged(let expiry):
                warn(of: expiry, file)
            case .replaced(let expiry):
                let days = expiry.map { "\(Self.days(until: $0))" } ?? "unknown"
                log.info("certificate replaced", metadata: ["file": file, "expires_in_days": "\(days)"])
                warn(of: expiry, file)
            case .refused(let error):
                log.error("rejected a certificate; keeping the old one", metadata: ["reason": "\(error)"])
            }
        }
    }

    /// Ends the watching, before the loop is closed; a second call does nothing.
    func close() {
        loop.execute { [self] in
            confined.watcher?.close()
            confined.watcher = nil
            if let timer = confined.timer { loop.cancel(timer) }
            confined.timer = nil
        }
    }

    private func changed() {
        guard confined.timer == nil else { return }
        confined.timer = loop.schedule(after: Self.pause) { [weak self] in
            guard let self else { return }
            confined.timer = nil
            reload()
        }
    }

    private func warn(of expiry: Int64?, _ file: Logger.MetadataValue) {
        guard let expiry, Self.days(until: expiry) < 0 else { return }
        log.warning("the certificate has expired", metadata: ["file": file])
    }

    /// Whole days, rounded down.
    private static func days(until expiry: Int64) -> Int64 {
        let left = expiry - Int64(time(nil))
        return left >= 0 ? left / 86_400 : -1
    }
}
