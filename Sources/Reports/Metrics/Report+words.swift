package import AppStore
package import Ledger
package import Projection
internal import Queries

extension Report {
    /// A column's name for people: "start" for `activeStart`, "step 2" and "step 2
    /// possible" for `step.2.reached` and `step.2.chance`, "30 days" for `age.30.perCustomer`,
    /// "week of 0.23 months" for `weekOf023Months`.
    package static func heading(_ name: String) -> String {
        if name == "activeStart" { return "start" }
        if name == "activeEnd" { return "end" }
        var parts = name.replacing("churned.total", with: "churned").split(separator: ".")
        if parts.count > 1, parts[0] == "churned" { parts.removeFirst() }
        if parts.last == "reached" { parts.removeLast() }
        if parts.last == "chance" { parts[parts.count - 1] = "possible" }
        if parts.count == 3, parts[0] == "age" {
            parts = parts[2] == "perCustomer" ? [parts[1], "days"] : [parts[1], "days", parts[2]]
        }
        return parts.map { part in
            if part.hasPrefix("within") { return "within \(part.dropFirst(6)) days" }
            return part.map { $0.isUppercase ? " \($0.lowercased())" : "\($0)" }.joined()
            // An identifier has no decimal point.
        }.joined(separator: " ").replacing("of023", with: "of 0.23")
    }

    /// A figure for people: milliunits as units of the row's currency, with its decimal places; a
    /// dash for an amount without a value.
    package func figure(_ row: Row, _ column: CountColumn) -> String {
        guard isMoney(row, column) else { return cell(row, column) }
        guard let amount = value(row, column) else { return "–" }
        let place = dimensions.firstIndex(of: Dimension.currency.rawValue)
        let currency = place.flatMap { row.group[$0] }
        return Money(milliunits: amount, currency: currency ?? "").decimal
    }

    /// The lines below a table.
    package var explanations: [String] {
        switch subject {
        case .churn, .diff: []
        case .metric(_, let outages): (outages ?? []).map(\.line)
        case .comparison(let comparison): comparison.lines
        }
    }

    /// In rows of a difference or comparison, the group's last value is the figure and decides the
    /// unit.
    private func isMoney(_ row: Row, _ column: CountColumn) -> Bool {
        switch subject {
        case .churn, .metric: return column.isMoney
        case .diff:
            guard let name = row.group.last else { return false }
            return moneyColumns.contains(name ?? "")
        case .comparison(let comparison):
            guard comparison.isAmount(column), let name = row.group.last else { return false }
            return comparison.figures.contains { $0.name == name && $0.isMoney }
        }
    }

    /// One decimal place; a dash for nil.
    package static func percent(_ rate: Double?) -> String {
        guard let rate else { return "–" }
        // A large sum divided by a tiny base can exceed Int64.
        let thousandths = Int64(min(rate * 1000, 1e15).rounded(.toNearestOrEven))
        return "\(thousandths / 10).\(thousandths % 10) %"
    }
}

extension CellChains {
    /// An amount of the cell for people, as of `Report.figure`.
    package func text(of amount: Int64) -> String {
        guard column.isMoney else { return String(amount) }
        let currency = group.first { $0.dimension == .currency }?.value
        return Money(milliunits: amount, currency: currency ?? "").decimal
    }

    /// As `text(of:)`; an annual amount says so.
    private func stated(_ amount: Int64) -> String {
        text(of: amount) + (column.unit == .annualisedMilliunits ? " a year" : "")
    }

    /// The cell's figure. In a column of twelfths the annual sum of its chains follows.
    private var figure: String {
        guard column.unit == .annualisedMilliunits, RecurringMoney(metric).isMonthly(column) else {
            return stated(amount)
        }
        return "\(text(of: RecurringMoney.month(amount))) (\(stated(amount)))"
    }

    /// The cell, then one line per chain with what decided it.
    ///
    /// - Parameters:
    ///   - count: positions that are listed of a chain.
    ///   - address: ends the line of a chain.
    package func lines(
        listing count: Int = .max, _ address: (ChainId) -> String = { _ in "" }
    ) -> [String] {
        let row = group.map { " \($0.dimension.rawValue)=\($0.value ?? "")" }.joined()
        let head =
            "\(metric.rawValue) \(column.name)\(row) from \(from.rfc3339) to \(to.rfc3339):"
            + " \(figure) from \(chainCount.named("chain", "chains"))"
        let lines = chains.map { found -> String in
            let events = found.events.prefix(count).map(String.init).joined(separator: ", ")
            let rest = max(0, found.events.count - count) + found.eventsOmitted
            return "\(found.chain.originalTransactionId) of \(found.chain.bundleId):"
                + " \(stated(found.amount)), because of event \(events)"
                + (rest > 0 ? " and \(rest) more" : "") + address(found.chain)
        }
        return [head] + lines
    }
}

extension CountColumn {
    var isMoney: Bool { [.milliunits, .annualisedMilliunits].contains(unit) }
}

extension ReportZone {
    /// The local day of a moment that begins one; otherwise the moment in local time.
    package func label(_ moment: Timestamp) -> String {
        let day = day(of: moment)
        guard start(of: day) == moment else { return time(moment) }
        return day.text
    }
}

extension SuspectedOutage {
    package var line: String {
        let reasons = window.reasons.map(\.rawValue).joined(separator: ", ")
        let (from, to) = (window.from.rfc3339, window.to.rfc3339)
        return "suspected outage of \(app.rawValue): \(from) to \(to) (\(reasons)); unless it was"
            + " recovered since, check it with subledger recover --bundle-id \(app)"
            + " --from \(from) --to \(to)"
    }
}

extension Comparison {
    /// The rules and reasons.
    package var lines: [String] {
        [""]
            + (rules.isEmpty
                ? ["No documented rule differs from ours."]
                : rules.map { "\($0.rawValue)\n  theirs: \($0.theirs)\n  ours:   \($0.ours)" })
            + reasons.map { "\($0.reason.rawValue): \($0.theirs)" }
    }
}

extension MetricsStamp {
    /// The lines above an aligned table; with CSV they go to standard error.
    package var lines: [String] {
        var lines = [
            "\(definition) · \(environment.rawValue) · by \(interval.rawValue) in"
                + " \(timeZone)",
            "computed at position \(position)"
                + (knownAt.map { ", as known at \($0.rfc3339)" } ?? "")
                + ", \(complete.text)",
        ]
        if let rates { lines.append(rates.line) }
        lines += remarks.map { "note: \($0.message)" }
        return lines
    }
}
