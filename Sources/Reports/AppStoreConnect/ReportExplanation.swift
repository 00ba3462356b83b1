public import AppStore
import Ledger
internal import Projection
internal import Queries

/// Reports of App Store Connect compared with the ledger (`Contract.md`, `metrics explain`).
public struct ReportExplanation: Sendable {
    public let stamp: MetricsStamp
    public let cells: [ExplainedCell]

    /// Whether no difference is unexplained, or on a day whose evidence may be incomplete. An empty
    /// ledger explains nothing: every product is unknown to it.
    public var isExplained: Bool {
        !stamp.remarks.contains(.emptyLedger) && cells.allSatisfy(\.isExplained)
    }

    /// The members of the answer.
    public func write(to json: inout JSONWriter) {
        stamp.write(to: &json)
        json.member("appleTimeZone", ReportExplanation.appleTimeZone)
        json.array("cells", cells)
    }

    /// The zone of Apple's days (App Store Connect Help, Sales and Trends: days are in Pacific
    /// Time), with its summer time.
    public static let appleTimeZone = "America/Los_Angeles"
    /// How long before its period Apple may sign a renewal: it charges within 24 hours before.
    public static let earlySigningMilliseconds: Int64 = 24 * 3_600_000
}

extension MetricsQuery {
    /// Apple's numbers and ours, with the causes of each difference. Folds every chain.
    ///
    /// - Parameters:
    ///   - table: Apple's report.
    ///   - timeZone: an IANA name; nil: the configured report zone.
    public func explain(
        _ table: SalesReportTable, timeZone: String? = nil
    ) async throws(MetricsError) -> ReportExplanation {
        guard let zone = ReportZone(timeZone ?? reportTimeZone) else {
            throw .unknownTimeZone(timeZone ?? reportTimeZone)
        }
        guard let pacific = ReportZone(ReportExplanation.appleTimeZone) else {
            throw .unknownTimeZone(ReportExplanation.appleTimeZone)
        }
        guard !table.isTooLarge else { throw .tooManyRows }
        let catalogue = snapshot.ledger.catalogue
        let empty = ComparedCells(table, zone: zone, pacific: pacific, limit: limit)
        let sum = try await sumLives(empty) { sum, chain, life in
            sum.add(life, of: chain, catalogue: catalogue)
        }
        guard !sum.isTooLarge else { throw .tooManyRows }
        let scope = MetricScope(
            zone: zone, interval: .day, instants: [], dimensions: [.product, .country],
            filters: [:])
        let stamp = try await stamp(
            MetricName.definition("explain"), scope, remarks: remarks(sum.chainCount > 0))
        return ReportExplanation(
            stamp: stamp,
            cells: CellExplainer(table: table, ledger: sum, complete: stamp.complete).cells())
    }
}
