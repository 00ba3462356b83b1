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

    private typealias Mention = (pointer: String, text: String)

    private static func mention(_ pointer: String, _ text: String) -> Mention { (pointer, text) }

    /// Texts of the document and what each has to say.
    private static let mentions: [Mention] = [
        mention(assistant, "at most \(grouped(MCPLimits.messageByteCount)) bytes"),
        mention(
            assistant,
            "at most \(MCPLimits.rowCount) rows or \(MCPLimits.entryCount) entries and"
                + " \(grouped(MCPLimits.resultByteCount)) bytes"),
        mention(
            "components/responses/InvalidReport/description",
            "\(grouped(LedgerHost.maximumReportByteCount)) bytes"),
        mention("paths/~1v1~1jobs/post/description", "At most \(ReportJobs.count) are"),
        mention(
            "paths/~1v1~1status/get/description", "at first \(grouped(Int(AppArrivals.eventCount)))"
        ),
        mention(
            "paths/~1v1~1webhooks~1{name}:redeliver/post/description",
            "at most \(grouped(Int(LedgerHost.Redelivery.positionCount))) positions"),
        mention(decisions, "at most the last \(RefusedDecisions.count)"),
        mention("paths/~1v1~1recoveries/post/description", "the last \(RecoveryJobs.count) are"),
        mention(
            "components/parameters/ActKey/description", "last \(grouped(ActMemory.count)) keys"),
        mention(notification, "\(grouped(NotificationBody.maximumSignedByteCount)) bytes"),
        mention(notification, "version 1, \(grouped(NotificationBody.maximumByteCount))."),
        mention(
            "paths/~1appstore~1retention/post/description",
            "\(grouped(LedgerHost.retentionByteCount)) bytes"),
        mention(transaction, "at most \(UploadBudget.eventCountPerDay) events"),
        mention(transaction, "more than \(grouped(ServedLedger.uploadFactCount)) facts"),
        mention(transaction, "\(grouped(UploadBody.maximumByteCount)) bytes"),
        mention(receipt, "at most \(ReceiptRequests.chainCount) of its chains"),
        mention(receipt, "the \(ReceiptBody.answeredChainCount) chains bought last"),
        mention(receipt, "one of the \(UploadBudget.eventCountPerDay) of a day"),
        mention(receipt, "\(grouped(ReceiptBody.maximumByteCount)) bytes"),
        mention(many, "up to \(grouped(CustomersBody.customerCount)) customers"),
        mention(changes, "At most \(StreamLimits.count) streams"),
        mention(changes, "for \(ConnectionLimits().stallSeconds) s"),
        mention(
            "paths/~1v1~1signatures~1promotional-offer/post/description",
            grouped(SignatureOrder.maximumByteCount)),
        mention(
            "components/schemas/AdvancedCommerceBody/properties/request/description",
            "at most \(grouped(SignatureRequest.requestByteCount)) bytes"),
        mention("components/parameters/KnownAt/description", wait),
        mention("components/parameters/MinPosition/description", wait),
        mention("components/parameters/UploadKey/description", keyHours),
        mention("components/parameters/ReceiptKey/description", keyHours),
        mention(
            "components/parameters/SubscriptionId/description",
            "1 to \(PathReader.maximumByteCount) bytes"),
        mention(
            "components/parameters/Rates/description",
            "\(CurrencyRates.Rate.digitCount) digits, \(CurrencyRates.Rate.scaleCount) after"),
        mention(
            "components/parameters/Rates/description",
            "At most \(CurrencyRates.inlineCount) rates"),
        mention(
            "components/responses/RequestTimeout/description",
            "within \(ConnectionLimits().bodySeconds) s"),
        mention(
            "components/schemas/CustomerName/description",
            "1 to \(CommandLimits.customerByteCount) bytes"),
        mention(
            "components/schemas/GrantBody/properties/entitlement/description",
            "1 to \(CommandLimits.entitlementByteCount) bytes"),
        mention(
            "components/schemas/ReceiptAnswer/properties/subscriptions/description",
            "at most \(ReceiptBody.answeredChainCount)."),
        mention(
            "components/schemas/ReceiptAnswer/properties/chainsOmitted/description",
            "the \(ReceiptBody.answeredChainCount) bought last"),
    ]

    @Test("A limit in a text is the one that is kept")
    func texts() {
        for mention in DocumentLimitTests.mentions {
            let text = document.resolved("#/" + mention.pointer).string ?? ""
            let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(line.contains(mention.text), "\(mention.pointer): \(mention.text)")
        }
    }

    @Test("The first day of a report is the one that is kept")
    func earliest() {
        let text = document.resolved("#/components/parameters/From/description").string ?? ""
        let year = Timestamp(milliseconds: MetricsLimits.earliestMilliseconds).rfc3339.prefix(4)
        #expect(text.contains("not before \(year)"))
    }

    /// Bounds of schemas and parameters.
    private static let bounds: [(pointer: String, count: Int)] = [
        ("schemas/Events/properties/events/maxItems", LedgerHost.maximumPageCount),
        ("schemas/SubscriptionEvents/properties/events/maxItems", LedgerHost.maximumPageCount),
        ("schemas/CustomerTimeline/properties/entries/maxItems", LedgerHost.maximumPageCount),
        (
            "schemas/CustomerSubscriptions/properties/subscriptions/maxItems",
            LedgerHost.maximumPageCount
        ),
        ("schemas/EntitlementsOfMany/properties/customers/maxItems", CustomersBody.customerCount),
        ("schemas/MetricsDiff/properties/cells/maxItems", MetricsLimits.cellCount),
        (
            "schemas/MetricsDiff/properties/cells/items/properties/events/maxItems",
            MetricsLimits.eventCount
        ),
        ("schemas/ReceiptAsked/properties/chains/maximum", ReceiptRequests.chainCount),
        ("schemas/Quarantine/properties/items/maxItems", LedgerHost.maximumPageCount),
        ("schemas/Decisions/properties/decisions/maxItems", LedgerHost.maximumPageCount),
        ("schemas/Decisions/properties/refused/maxItems", RefusedDecisions.count),
        ("schemas/ErasureBody/properties/chains/maxItems", ErasureBody.chainCount),
        ("schemas/SignatureText/maxLength", SignatureRequest.textByteCount),
        ("schemas/IngestSummary/properties/errors/maxItems", IngestSummary.maximumErrors),
        ("schemas/Recoveries/properties/reports/maxItems", OperationsLimits.recoveryReportCount),
        ("parameters/Limit/schema/maximum", LedgerHost.maximumPageCount),
        ("parameters/Limit/schema/default", LedgerHost.usualPageCount),
        ("parameters/EntriesLimit/schema/maximum", LedgerHost.maximumPageCount),
        ("parameters/EntriesLimit/schema/default", LedgerHost.maximumPageCount),
        ("schemas/PathText/maxLength", PathReader.maximumByteCount),
        ("schemas/ChangeCursor/maxLength", StreamLimits.cursorByteCount),
        ("schemas/CustomerName/maxLength", CommandLimits.customerByteCount),
        ("schemas/CustomersBody/properties/customers/maxItems", CustomersBody.customerCount),
        (
            "schemas/GrantBody/properties/entitlement/maxLength",
            CommandLimits.entitlementByteCount
        ),
        ("parameters/Actor/schema/maxLength", CommandLimits.actorByteCount),
        ("parameters/Reason/schema/maxLength", CommandLimits.reasonByteCount),
        ("parameters/IdempotencyKey/schema/maxLength", CommandLimits.idByteCount),
        ("parameters/ActKey/schema/maxLength", CommandLimits.idByteCount),
        ("parameters/ListAfter/schema/maxLength", QueryParameters.cursorByteCount),
    ]

    @Test("No list, text or page is longer than its schema or parameter says")
    func lists() {
        for (pointer, count) in DocumentLimitTests.bounds {
            let bound = document.resolved("#/components/\(pointer)")
            #expect(bound.int64 == Int64(count), "\(pointer)")
        }
    }
}
