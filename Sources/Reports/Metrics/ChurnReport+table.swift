import AppStore
import Ledger
internal import Projection

extension ChurnReport {
    /// A table: `text` aligned for people, or comma-separated with one column per figure.
    public func table(_ form: TextTable.Form) -> [UInt8] {
        switch form {
        case .csv, .rawCSV:
            TextTable(header: header, rows: rows.map { cells($0) }).csv(isRaw: form == .rawCSV)
        case .text: Array(text.utf8)
        }
    }

    private var header: [String] {
        ["from", "to"] + question.dimensions.map(\.rawValue) + ["activeStart"]
            + columns.map(\.name)
            + EndReason.allCases.map { RollForwardColumn.churned($0).name }
            + ["churned.total", "activeEnd", "residue", "churnRate"]
    }

    private func cells(_ row: RollForwardRow) -> [String] {
        var cells = [row.from.rfc3339, row.to.rfc3339]
        if !question.dimensions.isEmpty { cells += row.group.map { $0 ?? "" } }
        cells.append("\(row.activeStart)")
        cells += columns.map { "\(row[$0])" }
        cells += EndReason.allCases.map { "\(row[.churned($0)])" }
        cells += ["\(row.churned)", "\(row.activeEnd)", "\(row.residue)"]
        cells.append(row.churnRate.map { "\($0)" } ?? "")
        return cells
    }

    // MARK: For people

    /// Omits columns that are 0 in every row.
    private var text: String {
        let reported = columns.filter { column in rows.contains { $0[column] != 0 } }
        let reasons = EndReason.allCases.filter { reason in
            rows.contains { $0[.churned(reason)] != 0 }
        }
        let header =
            ["from", "to"] + question.dimensions.map(\.rawValue) + ["start"] + reported.map(\.name)
            + reasons.map(\.rawValue) + ["churned", "end", "rate"]
        let cells = rows.map { row in
            [zone.label(row.from), zone.label(row.to)]
                + (question.dimensions.isEmpty ? [] : row.group.map { $0 ?? "–" })
                + ["\(row.activeStart)"] + reported.map { "\(row[$0])" }
                + reasons.map { "\(row[.churned($0)])" }
                + ["\(row.churned)", "\(row.activeEnd)", TextTable.percent(row.churnRate)]
        }
        let table = TextTable(header: header, rows: cells)
        return (stamp.lines + [""]).joined(separator: "\n") + "\n"
            + table.aligned(leading: 2 + question.dimensions.count)
    }
}

extension ReportZone {
    /// The local day of a moment that begins one; otherwise the moment.
    func label(_ moment: Timestamp) -> String {
        let day = day(of: moment)
        guard start(of: day) == moment else { return moment.rfc3339 }
        return String(Timestamp(day).rfc3339.prefix(10))
    }
}
