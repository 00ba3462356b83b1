public import Ledger
public import LedgerStore
internal import Queries

/// Why a metric cannot be computed as it was asked for.
public enum MetricsError: Error, Sendable, Equatable {
    case unknownMetric(String)
    case unknownDimension(String)
    case duplicateDimension(String)
    /// Only of those who left there is a reason.
    case reasonElsewhere
    /// Deliveries are not of a period: only their app is known.
    case onlyApp
    /// All amounts are in one currency.
    case currencyConverted
    /// The product documents no such metric.
    case undocumented(String, DefinitionPack)
    /// Definitions are compared by interval only.
    case comparedWhole
    /// Rates that were given as words are none; why.
    case invalidRates(String)
    /// Definitions of others are compared without rates, charts and variants.
    case comparedAlone
    /// Only refunds are told by two days.
    case basisOfRefunds
    /// Two states of knowledge are compared: one or two of a kind were to be given.
    case comparedKnowledge
    /// Currencies that are in the answer and not in the table of rates.
    case missingRates([String])
    /// Currencies with amounts that are too large at the rate given.
    case rateTooLarge([String])
    /// A value that a dimension never has; what it may be.
    case unknownValue(Dimension, String, known: String)
    case unknownInterval(String)
    case unknownTimeZone(String)
    case invalidFilter(String)
    case invalidTime(parameter: String)
    /// The range is empty, reversed, before the App Store, or in the future; why.
    case invalidRange(String)
    /// More than so many.
    case tooManyIntervals(limit: Int)
    case tooManyRows
    /// Sums beyond what a report can hold.
    case amountTooLarge
    case store(StoreError)

    /// Stable; scripts rely on it.
    public var code: String {
        switch self {
        case .unknownMetric: "unknownMetric"
        case .unknownDimension, .reasonElsewhere, .onlyApp: "unknownDimension"
        case .currencyConverted: "currencyConverted"
        case .missingRates: "missingRates"
        case .rateTooLarge: "rateTooLarge"
        case .unknownValue: "unknownFilterValue"
        case .undocumented: "undocumentedDefinition"
        case .comparedWhole, .comparedAlone: "comparedWhole"
        case .comparedKnowledge, .basisOfRefunds: "invalidParameter"
        case .invalidRates: "invalidRates"
        case .duplicateDimension: "duplicateDimension"
        case .unknownInterval: "unknownInterval"
        case .unknownTimeZone: "unknownTimeZone"
        case .invalidFilter: "invalidFilter"
        case .invalidTime: "invalidTime"
        case .invalidRange: "invalidRange"
        case .tooManyIntervals: "tooManyIntervals"
        case .tooManyRows: "tooManyRows"
        case .amountTooLarge: "amountTooLarge"
        case .store(let error): error.code.rawValue
        }
    }

    /// What happened, and what to do.
    public var message: String {
        switch self {
        case .unknownMetric(let name):
            "There is no metric \(MetricsError.quoted(name)); it is one of "
                + MetricName.allCases.map(\.rawValue).joined(separator: ", ") + "."
        case .unknownDimension(let name):
            "There is no dimension \(MetricsError.quoted(name)); it is one of "
                + "\(MetricsWords.dimensions)."
        case .duplicateDimension(let name):
            "The dimension \(name) is named twice; once is enough."
        case .reasonElsewhere:
            "Only churn and mrr-movement tell why somebody left; leave reason out of by and where."
        case .onlyApp:
            "Deliveries are told apart by app only; leave other dimensions out of by and where."
        case .undocumented(let metric, let pack):
            "There is no documented definition of \(MetricsError.quoted(metric)) by"
                + " \(pack.rawValue) that payloads could follow; compared are "
                + MetricsError.documented + "."
        case .comparedWhole:
            "Definitions are compared for all chains of an interval; leave by, and reason in where,"
                + " out. Only churn is told apart, by reason."
        case .comparedAlone:
            "Definitions are compared without rates and paid; leave these out."
        case .basisOfRefunds:
            "Only refunds are told by the day of the refund or of the purchase; leave the basis out."
        case .comparedKnowledge:
            "Give knownAt or knownPosition: two, with a comma between them, or one to compare with"
                + " everything."
        case .invalidRates(let reason):
            "Rates are a currency and what one unit of each other one is in it, e.g."
                + " USD,EUR:1.0834,JPY:0.006612. \(reason)"
        case .currencyConverted:
            "With a table of rates every amount is in one currency; leave currency out of by and"
                + " where, or the rates out."
        case .missingRates(let currencies):
            "The table of rates says nothing of \(currencies.joined(separator: ", ")), and there are"
                + " amounts in it; add a rate for each, or ask without a table, where currencies stay"
                + " apart."
        case .rateTooLarge(let currencies):
            "At the given rate amounts in \(currencies.joined(separator: ", ")) are larger than any"
                + " price; correct the rate: what one unit of that currency is in the table's."
        case .unknownValue(let dimension, let value, let known):
            "No \(dimension.rawValue) is \(MetricsError.quoted(value)); it is one of \(known)."
        case .unknownInterval(let name):
            "There is no interval \(MetricsError.quoted(name)); it is one of "
                + ReportInterval.allCases.map(\.rawValue).joined(separator: ", ") + "."
        case .unknownTimeZone(let name):
            "There is no time zone \(MetricsError.quoted(name)); an IANA name is expected, e.g."
                + " Europe/Berlin or UTC. Abbreviations and offsets mean too many things."
        case .invalidFilter(let text):
            "A filter is dimension=value, and \(MetricsError.quoted(text)) is not; the dimension is"
                + " one of \(MetricsWords.dimensions)."
        case .invalidTime(let parameter):
            "\(parameter) takes a day (2026-01-31), RFC 3339 (2026-01-31T23:59:59.000Z) or epoch"
                + " milliseconds."
        case .invalidRange(let reason): reason
        case .tooManyIntervals(let limit):
            "The range has more than \(limit) intervals; ask for a shorter"
                + " range or longer intervals."
        case .tooManyRows:
            "The answer has more than \(MetricsLimits.rowCount) rows; ask for a shorter range,"
                + " longer intervals or fewer dimensions."
        case .amountTooLarge:
            "The amounts come to more than a report can hold: some prices are beyond any currency's."
                + " Leave their products or currencies out with where, and look at the prices."
        case .store(let error): error.description
        }
    }

    /// Which metrics are compared with whom.
    private static var documented: String {
        DefinitionPack.allCases.map { pack in
            let metrics = DefinitionPack.metrics.filter { pack.rules($0) != nil }
            return "\(pack.rawValue): \(metrics.joined(separator: ", "))"
        }.joined(separator: "; ")
    }

    /// What somebody wrote, short and printable.
    private static func quoted(_ text: String) -> String {
        let start = text.unicodeScalars.prefix(MetricsLimits.quotedCharacterCount)
        return "“\(String(String.UnicodeScalarView(start)).printable)”"
    }
}

/// What a question may ask for at most.
public enum MetricsLimits {
    /// Ten years of days and some.
    public static let intervalCount = 4_000
    /// Rows of one answer.
    public static let rowCount = 100_000
    /// 2008-01-01: the App Store opened in July of that year.
    public static let earliestMilliseconds: Int64 = 1_199_145_600_000
    /// Of a wrong word, in an error.
    static let quotedCharacterCount = 64
}
