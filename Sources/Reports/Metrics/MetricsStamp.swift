public import AppStore
public import Ledger

/// What a reader has to know about an answer before using it. Raw values are stable.
public enum MetricsRemark: String, Sendable, CaseIterable {
    /// No chain was known: zeros that mean nothing.
    case emptyLedger
    /// The figures are of an environment in which nobody pays, and time runs faster.
    case notProduction
    /// Under some value of a filter the ledger has nothing at all.
    case nothingMatches
    /// The rows of some groups have Apple's number, others the catalogue's name.
    case groupsApart
    /// The length of some periods came from payloads, since the catalogue is silent.
    case inferredPeriods
    /// Some paid chains or purchases have no price, or no period, and count as no money.
    case unpriced
    /// Some products are not in the catalogue: levels and lengths are not known for certain.
    case notInCatalogue
    /// What Apple pays out is not in its payloads.
    case estimate
    /// Rows of more than one currency: they are never added to each other.
    case severalCurrencies
    /// Amounts were converted by a table of rates, each price rounded once.
    case converted

    /// For a person.
    public var message: String {
        switch self {
        case .emptyLedger:
            "No subscription is known here under that knowledge: nothing was counted. Check --data,"
                + " --environment, --bundle-id and --known-at."
        case .notProduction:
            "These figures describe a test environment, where nobody pays and time runs faster."
        case .nothingMatches:
            "Nothing that is counted here ever had one of the values in the filter: its zeros may be"
                + " a misspelling. Values are compared as they are written; --by lists them."
        case .groupsApart:
            "Some products are in no group of the catalogue and stand under Apple's number of theirs:"
                + " one group may be in two rows. Add them, with `group`, under `products`."
        case .inferredPeriods:
            "The catalogue names no period for some products; it was inferred from the dates Apple"
                + " signed. Add `period` under `products`."
        case .unpriced:
            "Some paid periods have no price, or no period to reckon by, and count as no money."
        case .notInCatalogue:
            "Some products are not in the catalogue (`products`): kinds of change follow how Apple"
                + " carried them out."
        case .estimate:
            "An estimate: 70 %, or 85 % after a year of paid service and on the configured dates of"
                + " the Small Business Program. Taxes and exchange are not in it."
        case .severalCurrencies:
            "Amounts of several currencies, each in rows of its own: they are not added to each"
                + " other. Give a table of rates (--rates) to convert them."
        case .converted:
            "Amounts were converted by the given rates, one for each currency and all time; each"
                + " price was rounded once."
        }
    }
}

/// Which definition, on which knowledge: what every metric's answer begins with.
public struct MetricsStamp: Sendable {
    /// Name and version: what it computes never changes under one version.
    public let definition: String
    public let environment: Environment
    public let timeZone: String
    public let interval: ReportInterval
    /// The log position the answer was computed at.
    public let position: Int64
    public let knownAt: Timestamp?
    /// Since when, and up to when, everything Apple sent is certainly here.
    public let complete: CompleteWindow?
    public let catalogueHash: Digest
    public let remarks: [MetricsRemark]
    /// What amounts were converted by; nil: currencies are as Apple states them.
    public var rates: CurrencyRates?

    /// The members of the stamp.
    ///
    /// - Parameter isStamped: without `position` an answer stays the same until something in it
    ///   changes.
    func write(to json: inout JSONWriter, isStamped: Bool) {
        json.member("definition", definition)
        json.member("environment", environment.rawValue)
        json.member("timeZone", timeZone)
        json.member("interval", interval.rawValue)
        if isStamped { json.member("position", position) }
        json.member("knownAt", knownAt)
        complete.writeMembers(to: &json)
        json.member("reducerVersion", Lifecycle.reducerVersion)
        json.member("catalogueHash", catalogueHash)
        writeRates(to: &json)
        json.array("remarks", remarks) { json, remark in
            json.object { json in
                json.member("code", remark.rawValue)
                json.member("message", remark.message)
            }
        }
    }

    /// A member only where amounts were converted.
    private func writeRates(to json: inout JSONWriter) {
        guard let rates else { return }
        json.object("rates") { json in
            json.member("currency", rates.target)
            json.object("rates") { json in
                for (currency, rate) in rates.rates.sorted(by: { $0.key < $1.key }) {
                    json.member(currency, rate.description)
                }
            }
        }
    }

    /// The stamp for people: what a table has above it, and a comma-separated one beside it.
    public var lines: [String] {
        var lines = [
            "\(definition) · \(environment.rawValue) · by \(interval.rawValue) in"
                + " \(timeZone)",
            "computed at position \(position)"
                + (knownAt.map { ", as known at \($0.rfc3339)" } ?? "")
                + (complete.map {
                    ", complete from \($0.from.rfc3339) through \($0.through.rfc3339)"
                } ?? ", completeness not confirmed"),
        ]
        lines += remarks.map { "note: \($0.message)" }
        return lines
    }
}
