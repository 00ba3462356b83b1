internal import AppStore
internal import Ledger
internal import Reports

/// One cell of a report, and the chains that it counts, as a bundle asks about it.
public struct BundledCell: Hashable, Sendable {
    /// The metric's name; `churn` with `isPaid` is churn of paid chains.
    let name: String
    let isPaid: Bool
    let column: String
    /// The interval `[from, to)`.
    let from: Timestamp
    let to: Timestamp
    let timeZone: String
    /// `dimension=value`.
    let group: [String]
    let filters: [String]
    /// In order.
    let chains: [ChainId]

    func metric() throws(MetricsError) -> MetricName {
        name == MetricName.churnName ? .churn(isPaid: isPaid) : try MetricName(name)
    }

    /// The cell as reports compute it; nothing after `limit` counts.
    func cell(limit: Timestamp) throws(MetricsError) -> MetricCell {
        var parameters = CellParameters(column: column)
        (parameters.from, parameters.to) = (from.rfc3339, to.rfc3339)
        (parameters.timeZone, parameters.group, parameters.filters) = (timeZone, group, filters)
        let metric = try metric()
        guard metric.isOfLives else { throw .notByChain(metric.rawValue) }
        return try MetricCell(
            metric, parameters, reportTimeZone: timeZone, limit: limit)
    }

    func writeMembers(to json: inout JSONWriter) {
        json.member("metric", name)
        json.member("paid", isPaid)
        json.member("column", column)
        json.member("from", from)
        json.member("to", to)
        json.member("timeZone", timeZone)
        json.array("group", group)
        json.array("where", filters)
        json.objects("chains", chains) { $1.writeMembers(to: &$0) }
    }
}

extension BundledCell {
    init?(_ json: JSONValue) {
        guard let name = json["metric"]?.string, let isPaid = json["paid"]?.bool,
            let column = json["column"]?.string,
            let from = json["from"]?.string.flatMap({ Timestamp(userInput: $0) }),
            let to = json["to"]?.string.flatMap({ Timestamp(userInput: $0) }),
            let timeZone = json["timeZone"]?.string,
            let group = json["group"]?.array?.compactMap(\.string),
            let filters = json["where"]?.array?.compactMap(\.string),
            let list = json["chains"]?.array
        else { return nil }
        // Other metrics ignore it, and the answer would be stated as that of paid chains.
        guard !isPaid || name == MetricName.churnName else { return nil }
        let chains = list.compactMap { ChainId($0, id: "originalTransactionId") }
        // Each once, so that none is counted twice.
        guard chains.count == list.count, zip(chains, chains.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }
        self.init(
            name: name, isPaid: isPaid, column: column, from: from, to: to, timeZone: timeZone,
            group: group, filters: filters, chains: chains)
    }
}
