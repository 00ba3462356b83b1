public import AppStore
public import Ledger
internal import Projection

/// The roll-forward as an answer (`contract.md`, `churn`).
public struct ChurnReport: Sendable {
    public let stamp: MetricsStamp
    public let question: RollForwardQuestion
    let zone: ReportZone
    /// The source of the rows; the answer does not depend on it.
    package let source: MovementSource
    public let rows: [RollForwardRow]
    /// At the start of each interval, all groups together.
    let activeStarts: [Int64]

    var isPaid: Bool { question.measure == .paidChains }

    /// Columns of the paid variant only.
    static let paidColumns: [RollForwardColumn] = [.converted, .toFree]

    /// Gains and moves, in the contract's order; churned columns are separate.
    var columns: [RollForwardColumn] {
        Gain.allCases.map { .gained($0) } + (isPaid ? [.converted] : [])
            + [.movedIn, .movedOut] + (isPaid ? [.toFree] : [])
    }

    // MARK: JSON

    /// - Parameter isStamped: without its stamp an answer stays byte-identical until its content
    ///   changes.
    public func write(to json: inout JSONWriter, isStamped: Bool = true) {
        json.object { json in
            stamp.write(to: &json, isStamped: isStamped)
            json.array("rows", rows) { json, row in write(row, to: &json) }
        }
    }

    private func write(_ row: RollForwardRow, to json: inout JSONWriter) {
        json.object { json in
            json.member("from", row.from)
            json.member("to", row.to)
            json.object("group", question.dimensions.isEmpty ? nil : row.group) { json, values in
                for (dimension, value) in zip(question.dimensions, values) {
                    json.member(dimension.rawValue, value)
                }
            }
            json.member("activeStart", row.activeStart)
            for column in columns { json.member(column.name, row[column]) }
            json.object("churned") { json in
                for reason in EndReason.allCases {
                    json.member(reason.rawValue, row[.churned(reason)])
                }
                json.member("total", row.churned)
            }
            json.member("activeEnd", row.activeEnd)
            json.member("residue", row.residue)
            json.member("churnRate", row.churnRate)
        }
    }
}

extension RollForwardRow {
    /// The churned share of the chains active at the start; nil when there were none.
    var churnRate: Double? {
        rateBase > 0 ? Double(churned) / Double(rateBase) : nil
    }
}

extension RollForwardColumn {
    /// The contract's key.
    package var name: String {
        switch self {
        case .gained(let gain): gain.rawValue
        case .converted: "converted"
        case .expansion: "expansion"
        case .movedIn: "movedIn"
        case .movedOut: "movedOut"
        case .toFree: "toFree"
        case .contraction: "contraction"
        case .churned(let reason): "churned.\(reason.rawValue)"
        }
    }
}
