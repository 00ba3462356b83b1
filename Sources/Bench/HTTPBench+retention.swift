import AppStore
import Foundation
internal import Intake
public import Ledger
internal import LedgerStore
import NIOCore
internal import Projection
internal import Service
public import Simulator

/// Apple's requests for retention messages, by the time until the last byte of an answer: alone,
/// then together with notifications at the steady rate.
extension HTTPBench {
    /// Requests per second (`BENCHMARKS.md`).
    static let retentionRate = 2_000.0
    static let retentionSeconds = 10
    static let retentionRequestCount = Int(retentionRate) * retentionSeconds
    /// The same as for notifications.
    static let retentionConnectionCount = notificationConnectionCount
    /// Notifications that last as long as the requests.
    public static let retentionBodyCount = Int(steadyRate) * retentionSeconds

    /// Gives every known subscription a message.
    public static var retentionRule: RetentionRule {
        RetentionRule(name: "bench", message: "758883e8-151b-47b7-abd0-60c4d804c2f5")
    }

    /// Runs everything; stops the service at the end.
    ///
    /// - Parameter authority: signs the requests.
    public func retention(signedBy authority: Authority) async throws -> [BenchRow] {
        let count = HTTPBench.retentionRequestCount
        let requests = try signedRequests(authority)
        return try await serving { port in
            let alone = try await ask(requests[..<count], at: port)
            let started = host.clock()
            async let taken = post(port, 0..<bodies.count, rate: HTTPBench.steadyRate)
            let beside = try await ask(requests[count...], at: port)
            let intake = try await taken
            let shown = try await shownCount(of: beside.requestCount, from: started)
            return rows("retention.alone", alone) + rows("retention", beside) + [
                BenchRow(
                    "retention.shown", Double(shown), "messages",
                    against: .init("requests", Double(count)), events: shown),
                intake.rate(
                    "retention.intake", "notifications/s",
                    against: .init("offered", HTTPBench.steadyRate)),
                intake.time("retention.intake.p99", 0.99),
            ]
        }
    }

    private func ask(_ requests: ArraySlice<ByteBuffer>, at port: Int) async throws -> LoadResult {
        let requests = Array(requests)
        return try await LoadClient.run(
            LoadPlan(
                port: port, connectionCount: HTTPBench.retentionConnectionCount,
                request: { $0 < requests.count ? requests[$0] : nil },
                rate: HTTPBench.retentionRate))
    }

    private func rows(_ name: String, _ load: LoadResult) -> [BenchRow] {
        [
            load.time("\(name).p50", 0.5), load.time("\(name).p99", 0.99),
            load.rate(
                "\(name).rate", "requests/s", against: .init("offered", HTTPBench.retentionRate)),
        ]
    }

    /// Each about another subscription of the ledger, as long as there are others.
    private func signedRequests(_ authority: Authority) throws -> [ByteBuffer] {
        try (0..<2 * HTTPBench.retentionRequestCount).map { number in
            var payload = RetentionRequestPayload()
            payload.originalTransactionId = OriginalTransactionId(
                chains(number &* 7_919 % max(chainCount, 1)))
            payload.appAppleId = configuration.apps.first?.appAppleId
            payload.userLocale = "en-US"
            payload.requestIdentifier = UUID().uuidString.lowercased()
            payload.environment = Raw(.production)
            payload.signedDate = host.clock()
            return HTTPBench.post(
                try authority.retentionBody(payload), to: "/appstore/retention")
        }
    }

    /// The recorded answers with a message, once all of a load are recorded.
    ///
    /// - Parameter started: when the load began.
    private func shownCount(of count: Int, from started: Timestamp) async throws -> Int {
        let operations = try host.ledger(.production).ledger.operations
        let deadline = ContinuousClock.now + .seconds(HTTPBench.retentionSeconds)
        while true {
            var (recorded, shown) = (0, 0)
            var place = RetentionRecord.Place(before: started)
            while true {
                let page = try await operations.retentionAnswers(
                    after: place, before: Timestamp(milliseconds: .max), limit: 1_000)
                guard let last = page.last else { break }
                place = RetentionRecord.Place(last)
                recorded += page.count
                shown += page.count { $0.outcome == .shown }
            }
            if recorded >= count || ContinuousClock.now >= deadline { return shown }
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}
