// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import HTTPServer
import History
import Monitoring

/// The public status page and its feed.
extension RequestHandler {
    /// Changes what the page shows, from the next request on.
    package func apply(_ settings: PublicPageSettings) { publicPage.settings = settings }

    /// Responds to a request of the page's own listener, which serves nothing else.
    package func respondPublic(to request: HTTPRequest) -> HTTPResponse {
        let path = Router.absoluteForm(request.path).map { String($0.path) } ?? request.path
        guard let route = Router.match(path, below: "")?.route, route.isPublic else {
            return Problem.unknownRoute(path).response
        }
        guard let method = HTTPMethod(rawValue: request.method), route.methods.contains(method) else {
            return Problem.methodNotAllowed(request.method, Self.allow(route.methods)).response
        }
        guard !request.hasBody else { return Problem.unexpectedBody(method).response }
        guard method != .options else { return HTTPResponse(status: 204, headers: [Self.allow(route.methods)]) }
        return publicAnswer(route, request, path)
    }

    /// Responds to a request of the service's other listeners.
    func publicPage(_ route: Route, _ request: HTTPRequest) -> HTTPResponse {
        guard !publicPage.settings.hasListener else { return Problem.unknownRoute(route.rawValue).response }
        return publicAnswer(route, request, route.rawValue)
    }

    /// Responds from memory. The page costs a look at all targets and at the disk, so it is made elsewhere, once for all requests.
    private func publicAnswer(_ route: Route, _ request: HTTPRequest, _ path: String) -> HTTPResponse {
        respond(to: request) { [self] answer in
            let (admission, mustMake) = publicPage.admit(at: monotonicTime()) { answers in
                answer(answers?.response(of: route, to: request) ?? Problem.unknownRoute(path).response)
            }
            if mustMake { wiring.read { [self] in makePublicAnswers() } }
            switch admission {
            case .answered(let answers): answer(answers.response(of: route, to: request))
            case .waiting: break
            case .refused:
                let detail = "\(PublicPageCache.maximumWaiting) requests are already waiting for the page."
                answer(Problem(kind: .overloaded, detail: detail, headers: Self.soon).response)
            case .noPage: answer(Problem.unknownRoute(path).response)
            }
        }
    }

    /// Makes the page and the feed, again if their settings change meanwhile; waits for the disk.
    private func makePublicAnswers() {
        while let order = publicPage.begin(at: monotonicTime()) {
            let bars = order.needsBars ? past.flatMap { self.bars($0, order.settings.groups) } : nil
            let now = monotonicTime()
            let answers = publicAnswers(order.settings, bars ?? order.bars)
            answers.page.compress()
            answers.feed.compress()
            if publicPage.finish(order, answers, bars: bars, at: now) { return }
        }
    }

    private func publicAnswers(_ settings: PublicPageSettings, _ bars: [String: PublicBars]) -> PublicPageCache.Answers
    {
        let page = PublicSnapshot(settings, registry, bars: bars, now: clock.now())
        let extra = [
            HTTPHeader("Content-Security-Policy", PublicDocument.policy), HTTPHeader("Referrer-Policy", "no-referrer"),
        ]
        return PublicPageCache.Answers(
            page: PreparedAnswer(
                constant: PublicDocument.render(page),
                type: "text/html; charset=utf-8",
                caching: Self.publicCaching,
                extra: extra
            ),
            feed: PreparedAnswer(
                constant: PublicFeed.render(page, start: service.startedAt),
                type: "application/atom+xml; charset=utf-8",
                caching: Self.publicCaching
            )
        )
    }

    /// As long as an answer is used here.
    private static let publicCaching = "public, max-age=\(PublicPageCache.lifetime / 1_000_000_000)"

    /// The days of the targets that are shown; waits for the disk.
    private func bars(_ past: any HistoryReading, _ groups: [String]) -> [String: PublicBars]? {
        let now = clock.now()
        let ranges = PublicBars.ranges(until: now.milliseconds)
        let records = PublicSnapshot.records(registry, groups).flatMap(\.records)
        var bars: [String: PublicBars] = [:]
        for target in records.prefix(PublicSnapshot.maximumServices).compactMap(\.target) {
            let id = target.settings.id
            do throws(HistoryError) {
                bars[id] = PublicBars(try past.parts(of: target.ordinal, target: id, ranges: ranges, now: now))
            } catch {
                return nil
            }
        }
        return bars
    }
}

extension PublicPageCache.Answers {
    fileprivate func response(of route: Route, to request: HTTPRequest) -> HTTPResponse {
        (route == .publicFeed ? feed : page).response(to: request)
    }
}
