import AppStore
import AppStoreAPI
import Intake
import Ledger
import LedgerStore
import SQLiteStore
import Signing
import Testing

@testable import Queries
@testable import Reports
@testable import Service
@testable import Web

/// Every limit that the document states is the one in the code.
@Suite("Limits in the OpenAPI document")
struct DocumentLimitTests {
    private let document = APIDocument.shared

    /// A text of the document and what it has to say.
    struct Mention: Sendable, CustomTestStringConvertible {
        let pointer: String
        let text: String

        init(_ pointer: String, _ text: String) {
            self.pointer = "#/" + pointer
            self.text = text
        }

        var testDescription: String { "\(pointer): \(text)" }
    }

    /// 262144 as 262,144.
    private static func grouped(_ number: Int) -> String {
        var digits = Array(String(number))
        for place in stride(from: digits.count - 3, to: 0, by: -3) {
            digits.insert(",", at: place)
        }
        return String(digits)
    }

    private static let notification = "paths/~1appstore~1notifications/post/description"
    private static let transaction = "paths/~1v1~1transactions/post/description"
    private static let receipt = "paths/~1v1~1receipts/post/description"
    private static let many = "paths/~1v1~1customers:entitlements/post/summary"
    private static let changes = "paths/~1v1~1changes/get/description"
    private static let wait = "up to \(ServedLedger.waitLimit.components.seconds) s"
    private static let keyHours = "\(OperationsLimits.uploadKeyMilliseconds / 3_600_000) hours"

    private static let decisions = "paths/~1v1~1decisions/get/description"

    private static let assistant = "paths/~1mcp/post/description"

    static let mentions: [Mention] = [
        Mention(assistant, "at most \(grouped(MCPLimits.messageByteCount)) bytes"),
        Mention(
            assistant,
            "at most \(MCPLimits.rowCount) rows or \(MCPLimits.entryCount) entries and"
                + " \(grouped(MCPLimits.resultByteCount)) bytes"),
        Mention(
            "components/responses/InvalidReport/description",
            "\(grouped(LedgerHost.maximumReportByteCount)) bytes"),
        Mention("paths/~1v1~1jobs/post/description", "At most \(ReportJobs.count) are"),
        Mention(
            "paths/~1v1~1status/get/description", "at first \(grouped(Int(AppArrivals.eventCount)))"
        ),
        Mention(
            "paths/~1v1~1webhooks~1{name}:redeliver/post/description",
            "at most \(grouped(Int(LedgerHost.Redelivery.positionCount))) positions"),
        Mention(decisions, "at most the last \(RefusedDecisions.count)"),
        Mention("paths/~1v1~1recoveries/post/description", "the last \(RecoveryJobs.count) are"),
        Mention(
            "components/parameters/ActKey/description", "last \(grouped(ActMemory.count)) keys"),
        Mention(notification, "\(grouped(NotificationBody.maximumSignedByteCount)) bytes"),
        Mention(notification, "version 1, \(grouped(NotificationBody.maximumByteCount))."),
        Mention(
            "paths/~1appstore~1retention/post/description",
            "\(grouped(LedgerHost.retentionByteCount)) bytes"),
        Mention(transaction, "at most \(UploadBudget.eventCountPerDay) events"),
        Mention(transaction, "more than \(grouped(ServedLedger.uploadFactCount)) facts"),
        Mention(transaction, "\(grouped(UploadBody.maximumByteCount)) bytes"),
        Mention(receipt, "at most \(ReceiptRequests.chainCount) of its chains"),
        Mention(receipt, "the \(ReceiptBody.answeredChainCount) chains bought last"),
        Mention(receipt, "one of the \(UploadBudget.eventCountPerDay) of a day"),
        Mention(receipt, "\(grouped(ReceiptBody.maximumByteCount)) bytes"),
        Mention(many, "up to \(grouped(CustomersBody.customerCount)) customers"),
        Mention(changes, "At most \(StreamLimits.count) streams"),
        Mention(changes, "for \(ConnectionLimits().stallSeconds) s"),
        Mention(
            "paths/~1v1~1signatures~1promotional-offer/post/description",
            grouped(SignatureOrder.maximumByteCount)),
        Mention(
            "components/schemas/AdvancedCommerceBody/properties/request/description",
            "at most \(grouped(SignatureRequest.requestByteCount)) bytes"),
        Mention("components/parameters/KnownAt/description", wait),
        Mention("components/parameters/MinPosition/description", wait),
        Mention("components/parameters/UploadKey/description", keyHours),
        Mention("components/parameters/ReceiptKey/description", keyHours),
        Mention(
            "components/parameters/SubscriptionId/description",
            "1 to \(PathReader.maximumByteCount) bytes"),
        Mention(
            "components/parameters/Rates/description",
            "\(CurrencyRates.Rate.digitCount) digits, \(CurrencyRates.Rate.scaleCount) after"),
        Mention(
            "components/parameters/Rates/description",
            "At most \(CurrencyRates.inlineCount) rates"),
        Mention(
            "components/responses/RequestTimeout/description",
            "within \(ConnectionLimits().bodySeconds) s"),
        Mention(
            "components/schemas/CustomerName/description",
            "1 to \(CommandLimits.customerByteCount) bytes"),
        Mention(
            "components/schemas/GrantBody/properties/entitlement/description",
            "1 to \(CommandLimits.entitlementByteCount) bytes"),
        Mention(
            "components/schemas/ReceiptAnswer/properties/subscriptions/description",
            "at most \(ReceiptBody.answeredChainCount)."),
        Mention(
            "components/schemas/ReceiptAnswer/properties/chainsOmitted/description",
            "the \(ReceiptBody.answeredChainCount) bought last"),
    ]

    @Test("A limit in a text is the one that is kept", arguments: mentions)
    func texts(_ mention: Mention) throws {
        let text = try #require(document.resolved(mention.pointer).string)
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(line.contains(mention.text))
    }

    @Test("The first day of a report is the one that is kept")
    func earliest() {
        let text = document.resolved("#/components/parameters/From/description").string ?? ""
        let year = Timestamp(milliseconds: MetricsLimits.earliestMilliseconds).rfc3339.prefix(4)
        #expect(text.contains("not before \(year)"))
    }

    @Test(
        "No list is longer than its schema says",
        arguments: [
            ("Events/properties/events/maxItems", LedgerHost.maximumPageCount),
            ("SubscriptionEvents/properties/events/maxItems", LedgerHost.maximumPageCount),
            ("CustomerTimeline/properties/entries/maxItems", LedgerHost.maximumPageCount),
            (
                "CustomerSubscriptions/properties/subscriptions/maxItems",
                LedgerHost.maximumPageCount
            ),
            ("EntitlementsOfMany/properties/customers/maxItems", CustomersBody.customerCount),
            ("MetricsDiff/properties/cells/maxItems", MetricsLimits.cellCount),
            (
                "MetricsDiff/properties/cells/items/properties/events/maxItems",
                MetricsLimits.eventCount
            ),
            ("ReceiptAsked/properties/chains/maximum", ReceiptRequests.chainCount),
            ("Quarantine/properties/items/maxItems", LedgerHost.maximumPageCount),
            ("Decisions/properties/decisions/maxItems", LedgerHost.maximumPageCount),
            ("Decisions/properties/refused/maxItems", RefusedDecisions.count),
            ("ErasureBody/properties/chains/maxItems", ErasureBody.chainCount),
            ("SignatureText/maxLength", SignatureRequest.textByteCount),
            ("IngestSummary/properties/errors/maxItems", IngestSummary.maximumErrors),
            ("Recoveries/properties/reports/maxItems", OperationsLimits.recoveryReportCount),
        ] as [(String, Int)])
    func lists(_ pointer: String, _ count: Int) {
        let bound = document.resolved("#/components/schemas/\(pointer)")
        #expect(bound.int64 == Int64(count))
    }
}
