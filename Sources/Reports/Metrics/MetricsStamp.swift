public import AppStore
public import Ledger

/// Caveats of an answer. Raw values are stable.
public enum MetricsRemark: String, Sendable, CaseIterable {
    /// No chain was known, so zeros are meaningless.
    case emptyLedger
    /// The environment is a test environment: no payments, accelerated time.
    case notProduction
    /// Some app is not configured, so that nothing is known of what is complete for it.
    case notConfigured
    /// The ledger has no data at all for some filter value.
    case nothingMatches
    /// Some groups appear under Apple's number, others under the catalogue's name.
    case groupsApart
    /// The length of some periods came from payloads, since the catalogue does not define it.
    case inferredPeriods
    /// Some paid chains or purchases have no price, or no period, and count as zero.
    case unpriced
    /// Some products are not in the catalogue, so levels and lengths are uncertain.
    case notInCatalogue
    /// Apple's payloads do not contain payouts.
    case estimate
    /// Rows have more than one currency; they are never added up.
    case severalCurrencies
    /// A table of rates converted the amounts, each price rounded once.
    case converted

    /// The message for people.
    public var message: String {
        switch self {
        case .emptyLedger:
            "No subscription is known under this knowledge; nothing was counted. Check the"
                + " data directory, the environment, the app and the knowledge."
        case .notProduction:
            "These figures describe a test environment, without payments and with accelerated time."
        case .notConfigured:
            "An app counted here is not configured, or is left out by --bundle-id, so it is not known"
                + " whether everything that Apple sent for it is here; add it under `apps`."
                + " Completeness stated for several apps is that of the configured ones."
        case .nothingMatches:
            "A value of the filter occurs nowhere in what can be counted here: zeros may be due to"
                + " a misspelling. Values are compared literally; a breakdown by the dimension lists"
                + " them."
        case .groupsApart:
            "Some products are in no group of the catalogue and appear under Apple's group number:"
                + " one group may have two rows. Add them, with `group`, under `products`."
        case .inferredPeriods:
            "The length of some periods was inferred from the dates Apple signed: the catalogue has"
                + " none for the product (add `period` under `products`), or Apple stated none for"
                + " an offer that was paid up front."
        case .unpriced:
            "Some paid periods have no price, or no period, and count as zero."
        case .notInCatalogue:
            "Some products are not in the catalogue (`products`): kinds of change are inferred from"
                + " how Apple carried them out."
        case .estimate:
            "An estimate: 70 %, or 85 % after a year of paid service and on the configured dates of"
                + " the Small Business Program. Excludes taxes and exchange."
        case .severalCurrencies:
            "Amounts in several currencies, each in rows of its own; they are not added up. A"
                + " table of rates converts them."
        case .converted:
            "Amounts were converted by the rates named in the answer; each price was rounded once,"
                + " half to even."
        }
    }
}

/// Definition and knowledge of an answer; the first part of every metric's answer.
public struct MetricsStamp: Sendable {
    /// Name and version; one version always computes the same.
    public let definition: String
    public let environment: Environment
    public let timeZone: String
    public let interval: ReportInterval
    /// The log position the answer was computed at.
    public let position: Int64
    /// The moment after which nothing counts, the earlier of now and `knownAt`: asked with it as
    /// `knownAt`, the same question has the same answer at any time.
    public let at: Timestamp
    public let knownAt: Timestamp?
    /// The window in which everything Apple sent is confirmed to be present.
    public let complete: CompleteWindow?
    public let catalogueHash: Digest
    public let remarks: [MetricsRemark]
    /// The rates of conversion; nil: currencies as Apple states them.
    public var rates: CurrencyRates?
    /// The end of a row that is still running; nil where an earlier `knownAt` ends the last row.
    package var now: Timestamp? { at == knownAt ? nil : at }

    /// Writes the member `to` of a row; for the entity tag, not of a row that is still running.
    func write(end: Timestamp, to json: inout JSONWriter) {
        if json.isStamped || end != now { json.member("to", end) }
    }

    /// The members of the stamp.
    func write(to json: inout JSONWriter) {
        json.member("definition", definition)
        json.member("environment", environment.rawValue)
        json.member("timeZone", timeZone)
        json.member("interval", interval.rawValue)
        if json.isStamped {
            json.member("position", position)
            json.member("at", at)
        }
        json.member("knownAt", knownAt)
        complete.writeMembers(to: &json)
        json.member("reducerVersion", Lifecycle.reducerVersion)
        json.member("catalogueHash", catalogueHash)
        writeRates(to: &json)
        json.objects("remarks", remarks) { json, remark in
            json.member("code", remark.rawValue)
            json.member("message", remark.message)
        }
    }

    /// Written only where amounts were converted.
    private func writeRates(to json: inout JSONWriter) {
        guard let rates else { return }
        json.object("rates") { json in
            json.member("currency", rates.target)
            json.object("rates") { json in
                for (currency, rate) in rates.rates.sorted(by: { $0.key < $1.key }) {
                    json.member(currency, rate.description)
                }
            }
            if let day = rates.day { json.member("day", day.text) }
            if let days = RateDays(rates) { days.write(to: &json) }
        }
    }
}
