/// Reports of App Store Connect on subscriptions (App Store Connect Help, Reporting: Subscription
/// report, Subscription event report, Subscriber report, versions 1_3 and 1_4), as far as they are
/// compared with a ledger.
public enum SalesReport {
    /// The report. Raw values are the contract's.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Subscriptions by state at the end of one day. Its rows have no date.
        case subscription
        /// Events of each day.
        case subscriptionEvent
        /// Purchases and refunds of each day, one subscriber a row.
        case subscriber
    }

    /// What a row counts. Raw values are the contract's.
    public enum Figure: String, Hashable, Sendable, CaseIterable {
        // Of subscriptions, at the end of the day.
        case activePaid
        case trials
        case grace
        case billingRetry
        // Of events.
        case starts
        case trialConversions
        case renewals
        case reactivations
        case cancellations
        // Of events, and of subscribers.
        case refunds
        // Of subscribers.
        case purchases
        case freePeriods

        /// The figures of a report, in order.
        public static func all(of kind: Kind) -> [Figure] {
            switch kind {
            case .subscription: [.activePaid, .trials, .grace, .billingRetry]
            case .subscriptionEvent:
                [.starts, .trialConversions, .renewals, .reactivations, .cancellations, .refunds]
            case .subscriber: [.purchases, .freePeriods, .refunds]
            }
        }

        /// The figure of an event by Apple's name (Subscription events); nil where it is not
        /// compared: changes of products at the standard price, offers within a run, failed
        /// payments. Capitals do not matter: Apple writes both “From” and “from”.
        init?(event: String) {
            let name = event.lowercased()
            switch name {
            case "subscribe", "start introductory offer", "start offer code", "opt-in":
                self = .starts
            case "paid subscription from introductory offer", "upgrade from introductory offer",
                "crossgrade from introductory offer", "downgrade from introductory offer":
                self = .trialConversions
            case "refund": self = .refunds
            default:
                if name.hasPrefix("reactivat") {
                    self = .reactivations
                } else if name == "renew" || name.hasPrefix("renewal") {
                    self = .renewals
                } else if name == "cancel" || name.hasPrefix("canceled") {
                    self = .cancellations
                } else {
                    return nil
                }
            }
        }

        /// The figure of a column that counts subscriptions; nil where it is not compared. Capitals
        /// do not matter: Apple writes both “Pay as You Go” and “Pay As You Go”.
        init?(column: String) {
            let name = column.lowercased()
            switch name {
            case "grace period": self = .grace
            case "billing retry": self = .billingRetry
            default:
                if name.contains("free trial") {
                    self = .trials
                } else if name == "active standard price subscriptions"
                    || name == "active promotional offer subscriptions"
                    || name.contains("pay up front") || name.contains("pay as you go")
                {
                    self = .activePaid
                } else {
                    return nil
                }
            }
        }
    }

    /// One number of a report.
    public struct Row: Hashable, Sendable {
        public var kind: Kind
        public var figure: Figure
        /// The day that Apple counts it on, in Pacific Time.
        public var day: CivilDate
        /// Apple's number of the product (Subscription Apple ID).
        public var appleId: String
        /// The product's reference name.
        public var name: String
        /// ISO 3166-1 alpha-3, as in payloads; Apple's own text where it is not a known code.
        public var country: String
        /// Of subscribers: the price in milliunits of `currency`, never negative.
        public var price: Int64?
        public var currency: String?
        /// Of subscribers, where the report has it: what Apple pays for all units, after its share
        /// and tax; in milliunits of `proceedsCurrency`, of refunds at most 0.
        public var proceeds: Int64?
        public var proceedsCurrency: String?
        /// Never negative.
        public var amount: Int64
        /// Whether the row cannot be read, so that the number is unknown and `amount` 0.
        public var isMalformed = false
    }

    /// A row that cannot be read, and why. The other rows are used.
    public struct MalformedRow: Hashable, Sendable {
        /// From 1; the header is line 1.
        public var line: Int
        public var code: Code

        /// Raw values are the contract's.
        public enum Code: String, Error {
            /// Not the header's number of columns.
            case columnCount
            /// A date that is neither `YYYY-MM-DD` nor `MM/DD/YYYY`.
            case invalidDate
            /// A number of events, subscriptions or units that is blank, not whole or beyond
            /// `largestCount`, of events and subscriptions also below 0; a price that is blank; a
            /// price or proceeds with more than three decimal places, or no decimal.
            case invalidNumber
            case lineTooLong
            case notUTF8
            /// A name or code of more than `textByteCount`.
            case textTooLong
        }
    }

    /// Bytes of one line, without its end.
    public static let lineByteCount = 65_536
    /// Bytes of a name, number or code that is kept: App Store Connect allows 64 characters.
    public static let textByteCount = 256
    /// The largest quantity of a row: sums over `byteCount` of rows stay far within Int64.
    public static let largestCount = 1_000_000_000
    /// Columns of a header.
    public static let columnCount = 256
    /// Malformed rows that are listed; others are counted.
    public static let listedRowCount = 100
    /// Names of events that are listed because they are not compared.
    public static let eventNameCount = 100
    /// Bytes of one report, decompressed: ten times the largest that is expected.
    public static let byteCount = 1_073_741_824
}

/// Why a whole report cannot be read.
public enum SalesReportError: Error, Hashable, Sendable {
    case empty
    /// The header is of none of the three reports, has too many columns or one twice, or does not
    /// end in a line feed.
    case unknownReport
    case missingColumn(String, SalesReport.Kind)
    /// A subscription report without its day.
    case dayUnknown
    case tooLarge
    /// The gzip data is damaged or ends early.
    case damagedGzip

    /// Stable; scripts rely on it.
    public var code: String {
        switch self {
        case .empty: "emptyReport"
        case .unknownReport: "unknownReport"
        case .missingColumn: "missingColumn"
        case .dayUnknown: "reportDayUnknown"
        case .tooLarge: "reportTooLarge"
        case .damagedGzip: "damagedGzip"
        }
    }

    /// What happened, and what to do.
    public var message: String {
        switch self {
        case .empty: "The report is empty; download it again."
        case .unknownReport:
            "The first line is not the header of a subscription, subscription event or subscriber"
                + " report: at most \(SalesReport.columnCount) columns, each once, separated by"
                + " tabs and ended by a line feed. Download one of these from App Store Connect,"
                + " Sales and Trends, Reports."
        case .missingColumn(let column, let kind):
            "The \(kind.rawValue) report has no column “\(column)”; download version 1_3 or later."
        case .dayUnknown:
            "A subscription report does not state its day, and the file's name does not end in"
                + " _YYYYMMDD; give the day."
        case .tooLarge:
            "The report has more than \(SalesReport.byteCount) bytes; download shorter ranges."
        case .damagedGzip: "The gzip data is damaged or incomplete; download the report again."
        }
    }
}
