import AppStore
import Ledger
public import LedgerStore
public import Projection
public import Queries

/// Redelivers a range of positions to one endpoint: the same bodies under the same ids, so that a
/// receiver that remembers ids skips what it has. Moves no cursor.
public struct WebhookRedelivery: Sendable {
    let ledger: EnvironmentLedger
    let endpoint: WebhookEndpoint
    let transport: any WebhookTransport
    let clock: any ServiceClock

    public struct Report: Sendable, Equatable {
        /// Changes that the endpoint's filter admits.
        public var changes = 0
        public var delivered = 0
        /// Not accepted, or not attempted because an earlier change of its chain was not.
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

    /// Redelivers everything at positions `from` through `to`, and the clock changes after the
    /// position before `from`; only counts with `isDryRun`. Ends early when the endpoint is down.
    ///
    /// A receiver that has everything up to a position requests from the next one, and may have
    /// missed the clock changes at its last position.
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
