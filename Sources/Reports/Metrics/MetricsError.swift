public import Ledger
public import LedgerStore
internal import Queries

/// Why a metric cannot be computed as requested.
public enum MetricsError: Error, Sendable, Equatable {
    /// `also`: other names that are valid in its place.
    case unknownMetric(String, also: [String] = [])
    case unknownDimension(String)
    case duplicateDimension(String)
    /// Only churned chains have a reason.
    case reasonElsewhere
    /// Deliveries have no period; only their app is known.
    case onlyApp
    /// Rates convert all amounts into one currency.
    case currencyConverted
    /// The product documents no such metric in terms of payloads.
    case undocumented(String, DefinitionPack)
    /// Definitions are compared by interval only, without dimensions; losses of subscribers also
    /// without filters other than the app.
    case comparedWhole
    /// Inline rates are malformed; why.
    case invalidRates(String)
    /// The configured table of rates cannot be used now; why.
    case unusableRates(String)
    /// Comparisons of definitions support no rates, charts or variants.
    case comparedAlone
    /// Only refunds have a choice of day.
    case basisOfRefunds
    /// A comparison needs one or two values of `knownAt` or `knownPosition`.
    case comparedKnowledge
    /// Currencies of the answer that the table of rates lacks.
    case missingRates([String])
    /// Currencies whose amounts become too large at the given rate.
    case rateTooLarge([String])
    /// A value that a dimension never has, and the valid ones.
    case unknownValue(Dimension, String, known: String)
    /// A column that the metric does not have, or that is not a sum over chains; and the valid
    /// ones.
    case unknownColumn(String, known: String)
    /// The group of a cell is malformed or incomplete; why.
    case invalidGroup(String)
    /// What a chain adds to a cell of the metric does not follow from its own events.
    case notByChain(String)
    case unknownInterval(String)
    case unknownTimeZone(String)
    case invalidFilter(String)
    case invalidTime(parameter: String)
    /// The range is empty, reversed, before the App Store or in the future; why.
    case invalidRange(String)
    /// The range has more intervals than the limit.
    case tooManyIntervals(limit: Int)
    case tooManyRows
    /// The answer as JSON has more bytes than the limit of the service.
    case tooManyBytes(limit: Int)
    /// Sums exceed what a report can hold.
    case amountTooLarge
    /// The service stopped, or the client withdrew its request.
    case stopped
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
        case .invalidRates, .unusableRates: "invalidRates"
        case .duplicateDimension: "duplicateDimension"
        case .unknownInterval: "unknownInterval"
        case .unknownTimeZone: "unknownTimeZone"
        case .invalidFilter, .invalidGroup: "invalidFilter"
        case .unknownColumn: "unknownColumn"
        case .notByChain: "notByChain"
        case .invalidTime: "invalidTime"
        case .invalidRange: "invalidRange"
        case .tooManyIntervals: "tooManyIntervals"
        case .tooManyRows, .tooManyBytes: "tooManyRows"
        case .amountTooLarge: "amountTooLarge"
        case .stopped: "stopping"
        case .store(let error): error.code.rawValue
        }
    }

    /// What happened, and what to do.
    public var message: String {
        switch self {
        case .unknownMetric(let name, let also):
            "There is no metric \(MetricsError.quoted(name)); it is one of "
                + (also + MetricName.allCases.map(\.rawValue)).joined(separator: ", ") + "."
        case .unknownDimension(let name):
            "There is no dimension \(MetricsError.quoted(name)); it is one of "
                + "\(MetricParameters.dimensions)."
        case .duplicateDimension(let name):
            "The dimension \(name) is given twice; give it once."
        case .reasonElsewhere:
            "Only churn and mrr-movement have a reason; omit reason from by and where."
        case .onlyApp:
            "Deliveries have only the dimension app; omit other dimensions from by and where."
        case .undocumented(let metric, let pack):
            "No definition of \(MetricsError.quoted(metric))"
                + " in terms of payloads is documented by \(pack.rawValue); comparable are "
                + MetricsError.documented + "."
        case .comparedWhole:
            "Definitions are compared for all chains: omit `by`, except `reason` of churn, and"
                + " `reason` in `where`. Churn and mrr-movement of subscribers (stripe) take only"
                + " `app` in `where`."
        case .comparedAlone:
            "Definitions are compared without `rates` and `paid`; omit these."
        case .basisOfRefunds:
            "Only the metric refunds has a `refundBasis` (`refund` or `purchase`); omit it."
        case .comparedKnowledge:
            "Give `knownAt` or `knownPosition`: two values separated by a comma, or one to compare"
                + " with what is known now."
        case .invalidRates(let reason):
            "Rates are a currency and the value of one unit of each other in it, e.g."
                + " USD,EUR:1.0834,JPY:0.006612. \(reason)"
        case .unusableRates(let reason):
            "The configured table of rates cannot be used: \(reason) Correct it, or give `none` as"
                + " `rates` to keep currencies separate."
        case .currencyConverted:
            "With a table of rates every amount is in one currency; omit either `currency` in `by`"
                + " and `where`, or the rates."
        case .missingRates(let currencies):
            "The table of rates lacks \(currencies.joined(separator: ", ")), which the amounts"
                + " need; add a rate for each, or give `none` as `rates` to keep them separate."
        case .rateTooLarge(let currencies):
            "At the given rate amounts in \(currencies.joined(separator: ", ")) exceed any price;"
                + " a rate is the value of one unit of that currency in the table's currency."
        case .unknownValue(let dimension, let value, let known):
            "No \(dimension.rawValue) is \(MetricsError.quoted(value)); it is one of \(known)."
        case .unknownColumn(let name, let known):
            "There is no column \(MetricsError.quoted(name)) that sums chains; it is one of"
                + " \(known)."
        case .invalidGroup(let reason):
            "The group of a cell is dimension=value for each of its dimensions. \(reason)"
        case .notByChain(let name):
            "What a chain adds to a figure of \(name) does not follow from its own events, so no"
                + " proof of it can be made."
        case .unknownInterval(let name):
            "There is no interval \(MetricsError.quoted(name)); it is one of "
                + ReportInterval.allCases.map(\.rawValue).joined(separator: ", ") + "."
        case .unknownTimeZone(let name):
            "There is no time zone \(MetricsError.quoted(name)); an IANA name is expected, e.g."
                + " Europe/Berlin or UTC. Abbreviations and offsets are ambiguous."
        case .invalidFilter(let text):
            "A filter is dimension=value, and \(MetricsError.quoted(text)) is not; the dimension is"
                + " one of \(MetricParameters.dimensions)."
        case .invalidTime(let parameter):
            "\(parameter) takes a day (2026-01-31), RFC 3339 (2026-01-31T23:59:59.000Z) or epoch"
                + " milliseconds."
        case .invalidRange(let reason): reason
        case .tooManyIntervals(let limit):
            "The range has more than \(limit) intervals; request a shorter"
                + " range or longer intervals."
        case .tooManyRows:
            "The answer has more than \(MetricsLimits.rowCount) rows; request a shorter range,"
                + " longer intervals or fewer dimensions, or compare smaller reports."
        case .tooManyBytes(let limit):
            "The answer has more than \(limit) bytes; request a shorter range, longer intervals or"
                + " fewer dimensions, or use the command, which has no such bound."
        case .amountTooLarge:
            "The amounts exceed what a report can hold: some prices are beyond any currency's."
                + " Exclude their products or currencies with where, and check the prices."
        case .stopped: "The report was stopped before its end; request it again."
        case .store(let error): error.description
        }
    }

    /// The comparable metrics of each product.
    private static var documented: String {
        DefinitionPack.allCases.map { pack in
            let metrics = DefinitionPack.metrics.filter { pack.rules($0) != nil }
            return "\(pack.rawValue): \(metrics.joined(separator: ", "))"
        }.joined(separator: "; ")
    }

    /// User input, shortened and printable.
    private static func quoted(_ text: String) -> String {
        let start = text.unicodeScalars.prefix(MetricsLimits.quotedCharacterCount)
        return "“\(String(String.UnicodeScalarView(start)).printable)”"
    }
}

/// Limits of a query.
public enum MetricsLimits {
    /// About ten years of days.
    public static let intervalCount = 4_000
    /// Rows per answer.
    public static let rowCount = 100_000
    /// The rows computed: one more, which proves that there are too many.
    static let provenCount = rowCount + 1
    /// Changed cells per comparison of two states of knowledge.
    public static let cellCount = 10_000
    /// Events listed for one changed cell.
    public static let eventCount = 100
    /// Steps in which a chain moves from one state of knowledge to the other. With more new events,
    /// one step takes several, which are then reported together.
    public static let stepCount = 64
    /// 2008-01-01: the App Store opened in July of that year.
    public static let earliestMilliseconds: Int64 = 1_199_145_600_000
    /// Characters of invalid input quoted in an error.
    static let quotedCharacterCount = 64
}
