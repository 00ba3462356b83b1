public import AppStore
public import Ledger
import LedgerStore
public import Projection
internal import Queries
internal import SQLiteStore

/// Computes metrics from one state of a ledger, for the command line and HTTP.
public struct MetricsQuery: Sendable {
    /// Reports progress in events of the log, approximately: those read, and all.
    public typealias ProgressHandler = @Sendable (_ done: Int64, _ all: Int64) -> Void

    let snapshot: LedgerSnapshot
    /// The configured report zone.
    let reportTimeZone: String
    /// The current time of the clock.
    let now: Timestamp
    let knowledge: AsOf
    /// Nil: all apps.
    let bundleId: BundleId?
    var report: ProgressHandler = { _, _ in }
    /// Converts amounts; nil: currencies stay separate.
    public var rates: CurrencyRates?

    public init(
        _ snapshot: LedgerSnapshot, reportTimeZone: String, now: Timestamp,
        knowledge: AsOf = .everything, bundleId: BundleId? = nil,
        report: @escaping ProgressHandler = { _, _ in }
    ) {
        self.snapshot = snapshot
        self.reportTimeZone = reportTimeZone
        self.now = now
        self.knowledge = knowledge
        self.bundleId = bundleId
        self.report = report
    }

    /// The end of every answer: the earlier of now and knownAt.
    var limit: Timestamp { knowledge.knownAt.map { min($0, now) } ?? now }

    // MARK: Churn

    /// The roll-forward of active chains, or with `isPaid` of paid ones.
    public func churn(
        _ parameters: MetricParameters, isPaid: Bool = false
    ) async throws(MetricsError) -> Report {
        let scope = try parameters.scope(reportTimeZone, limit: limit)
        let question = scope.question(isPaid ? .paidChains : .chains)
        var seen = SeenValues(scope.dimensions, scope.filters, snapshot.ledger.catalogue)
        try await noteClasses(&seen)
        let answer = try await rollForward(question, by: scope.zone)
        let rows = answer.rollForward.rows(atMost: MetricsLimits.provenCount)
        guard rows.count <= MetricsLimits.rowCount else { throw .tooManyRows }
        let stamp = try await stamp(
            MetricName.churn(isPaid: isPaid).definition, scope,
            remarks: remarks(answer.tally.hasChains, seen), of: answer)
        return Report(
            stamp: stamp,
            subject: .churn(question, activeStarts: answer.rollForward.activeStarts),
            scope: scope, dimensions: question.dimensions.map(\.rawValue),
            columns: Report.churnColumns(isPaid: isPaid), rates: [Report.churnRate],
            rows: rows.map { row in
                let others = ["residue": row.residue, "rateBase": row.rateBase]
                return Report.Row(
                    from: row.from, to: row.to, group: row.group,
                    amounts: row.amounts.merging(others) { $1 })
            }, source: answer.source)
    }

    // MARK: Stamp

    func stamp(
        _ definition: String, _ scope: MetricScope, remarks: [MetricsRemark],
        rates: CurrencyRates? = nil, of answer: RollForwardAnswer? = nil
    ) async throws(MetricsError) -> MetricsStamp {
        // Stored sums may be ahead of the snapshot.
        let head = answer?.head ?? snapshot.position
        let apps = scope.filters[.app] ?? []
        let app = bundleId ?? (apps.count == 1 ? apps.first ?? nil : nil).map { BundleId($0) }
        var remarks = remarks
        let counted = bundleId.map { [$0] } ?? apps.compactMap { $0 }.map { BundleId($0) }
        if try await hasUnconfiguredApp(counted) { remarks.append(.notConfigured) }
        return MetricsStamp(
            definition: definition, environment: snapshot.ledger.environment,
            timeZone: scope.zone.name,
            interval: scope.interval, position: knowledge.position(head: head), at: limit,
            knownAt: knowledge.knownAt,
            complete: snapshot.ledger.complete(
                of: app, knowledge, head: head, in: answer?.completeness),
            catalogueHash: snapshot.ledger.catalogueHash, remarks: remarks, rates: rates)
    }

    /// Whether one of these apps, where none is given one of all, has chains and is not configured.
    private func hasUnconfiguredApp(_ counted: [BundleId]) async throws(MetricsError) -> Bool {
        do throws(StoreError) {
            return try await snapshot.facts.apps().contains {
                (counted.isEmpty || counted.contains($0)) && !snapshot.ledger.isConfigured($0)
            }
        } catch {
            throw .store(error)
        }
    }

    func remarks(_ hasChains: Bool, _ seen: SeenValues = SeenValues()) -> [MetricsRemark] {
        var remarks: [MetricsRemark] = []
        if !hasChains { remarks.append(.emptyLedger) }
        if snapshot.ledger.environment != .production { remarks.append(.notProduction) }
        return remarks + (hasChains ? seen.remarks : [])
    }
}
