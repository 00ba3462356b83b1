import AppStore
import Ledger
public import LedgerStore
public import Projection
public import Queries
internal import SQLiteStore

/// Delivers a range of positions again, to one endpoint: the same bodies under the same ids, so a
/// receiver that remembers ids takes only what it missed. Moves no cursor.
public struct WebhookRedelivery: Sendable {
    let ledger: EnvironmentLedger
    let endpoint: WebhookEndpoint
    let transport: any WebhookTransport
    let clock: any ServiceClock

    public struct Report: Sendable, Equatable {
        /// What the endpoint's filter lets through.
        public var changes = 0
        public var delivered = 0
        /// Not taken, or not tried because one before it in its chain was not.
        public var failed = 0
        public var lastFailure: String?
        public var types: [String: Int] = [:]
    }

    public init(
        ledger: EnvironmentLedger, endpoint: WebhookEndpoint, transport: any WebhookTransport,
        clock: any ServiceClock
    ) {
        self.ledger = ledger
        self.endpoint = endpoint
        self.transport = transport
        self.clock = clock
    }

    /// Everything at positions from `from` through `to`, and before it what the clock told behind
    /// the position before; with `isDryRun` only counted. Ends early when the endpoint takes nothing
    /// at all.
    ///
    /// Whoever had everything up to a position asks from the next one on, and may have missed what
    /// the clock told in between: it stands at the position that they had.
    public func run(from: Int64, to: Int64, isDryRun: Bool) async throws(StoreError) -> Report {
        let reader = ChangeReader(ledger: ledger)
        let sender = WebhookSender(endpoint: endpoint, transport: transport, clock: clock)
        var report = Report()
        var cursor = ChangePlace.afterEvent(at: max(0, from - 1))
        var failures = 0
        while !Task.isCancelled {
            let page = try await reader.page(after: cursor, through: to)
            let wanted = page.changes.filter { endpoint.filter.admits($0) }
            report.changes += wanted.count
            for change in wanted { report.types[change.change.name.rawValue, default: 0] += 1 }
            if !isDryRun, !wanted.isEmpty {
                let attempts = await sender.post(
                    Dictionary(grouping: wanted, by: \.chain).values.sorted {
                        $0[0].chainPlace < $1[0].chainPlace
                    }, concurrency: WebhookLimits.concurrency
                ) { finished in
                    failures = finished.contains(where: \.isDone) ? 0 : failures + 1
                    return failures < WebhookLimits.downFailureCount
                }
                let done = attempts.filter(\.isDone)
                report.delivered += done.count
                report.failed += attempts.count - done.count
                report.lastFailure =
                    attempts.last { $0.isFailure }?.outcome?.text ?? report.lastFailure
                try await ledger.operations.forgetParked(
                    done.map(\.change.chainPlace), of: endpoint.name)
            }
            cursor = page.next
            if page.isEnd || failures >= WebhookLimits.downFailureCount { break }
        }
        return report
    }
}
