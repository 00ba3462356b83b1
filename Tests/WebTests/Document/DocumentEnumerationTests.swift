import AppStore
import AppStoreAPI
import Ledger
import LedgerStore
import Projection
import Queries
import Reports
import Service
import Testing

@testable import Web

/// Enumerations in the document equal those of the writers.
@Suite("Enumerations in the OpenAPI document")
struct DocumentEnumerationTests {
    private let document = APIDocument.shared

    struct List: Sendable, CustomTestStringConvertible {
        let pointer: String
        let values: [String]

        init(_ pointer: String, _ values: [String]) {
            self.pointer = pointer
            self.values = values
        }

        var testDescription: String { pointer }
    }

    private static let environments = AppStore.Environment.allCases

    /// Each with the schema or parameter that lists it.
    static let lists: [List] = [
        List("State", ChainState.allCases.map(\.rawValue)),
        List("EndReason", EndReason.allCases.map(\.rawValue)),
        List("EventKind", EventKind.allCases.map(\.rawValue)),
        List("ChangeName", ChangeName.allCases.map(\.rawValue)),
        List(
            "FactName", TimelineEventName.allCases.map(\.rawValue) + ["granted", "grantWithdrawn"]),
        List("Notice/properties/code", NoticeCode.allCases.map(\.rawValue)),
        List("EnvironmentWord", environments.map(\.rawValue)),
        List("EnvironmentName", environments.map { EnvironmentLedger.directoryName($0) }),
        List("Command/properties/name", Command.Name.allCases.map(\.rawValue)),
        List("EventMembers/properties/source", EventSource.allCases.map(\.rawValue)),
        List("Trust", Trust.allCases.map(\.rawValue)),
        List(
            "SubscriptionTerms/properties/appAccountTokenTrust", Trust.allCases.map(\.rawValue)),
        List(
            "SubscriptionTerms/properties/phase", ChainAnswer.Phase.allCases.map(\.rawValue)),
        List(
            "SubscriptionTerms/properties/priceIncrease",
            ChainAnswer.PriceIncrease.allCases.map(\.rawValue)),
        List("UploadAnswer/properties/result", ["appended", "duplicate", "conflict"]),
        List("UploadAnswer/properties/claim", Holders.ClaimOutcome.allCases.map(\.rawValue)),
        List("Standing", Standing.allCases.map(\.rawValue)),
        List("Verdict/properties/basis", Verdict.Basis.allCases.map(\.rawValue)),
        // Claims arrive in uploads.
        List("Decision/properties/command", ["link", "unlink", "grant", "ungrant", "note"]),
        List("EntryMembers/properties/kind", ["state", "fact"]),
        List("SearchMatch/properties/kind", SearchMatch.Kind.allCases.map(\.rawValue)),
        List(
            "TransactionStanding/properties/standing",
            TransactionStanding.Outcome.allCases.map(\.rawValue)),
        List(
            "Signature/properties/kind", SignatureRequest.Kind.allCases.map(\.rawValue)),
        List("EligibilityReason", OfferEligibility.Reason.allCases.map(\.rawValue)),
        List("ReportInterval", ReportInterval.allCases.map(\.rawValue)),
        List("MetricsRemark", MetricsRemark.allCases.map(\.rawValue)),
        List("MetricsStamp/properties/definition", MetricName.definitions),
        List("MetricName", MetricName.allCases.map(\.rawValue)),
        List("DefinitionPack", DefinitionPack.allCases.map(\.rawValue)),
        List("DefinitionRule", DefinitionRule.allCases.map(\.rawValue)),
        List("Health/properties/status", ["ok", "ready", "notReady"]),
        List(
            "RetentionAnswer/properties/alternateProduct/properties/billingPlanType",
            BillingPlanType.allCases.map(\.rawValue)),
        List("QuarantineStanding", QuarantineStanding.allCases.map(\.rawValue)),
        List(
            "Outage/properties/reasons/items", OutageDetection.Reason.allCases.map(\.rawValue)),
        // Claims arrive in uploads.
        List("RefusedDecision/properties/command", ["link", "unlink", "grant", "ungrant", "note"]),
    ]

    @Test("A list contains exactly the existing values", arguments: lists)
    func same(_ list: List) {
        let schema = document.resolved("#/components/schemas/\(list.pointer)")
        let values = (schema["enum"]?.array ?? []).filter { !$0.isNull }.compactMap(\.string)
        #expect(Set(values) == Set(list.values))
        #expect(values.count == list.values.count)
    }

    @Test("Apple's numbers are those of the states")
    func appleStatus() {
        let schema = document.resolved(
            "#/components/schemas/SubscriptionTerms/properties/appleStatus")
        let values = Set((schema["enum"]?.array ?? []).map(\.int64))
        #expect(values == Set(ChainState.allCases.map(\.appleStatus)))
    }

    @Test("The limits of parameters are those enforced")
    func bounds() {
        let limit = document.resolved("#/components/parameters/Limit/schema")
        #expect(limit["maximum"]?.int64 == Int64(LedgerHost.maximumPageCount))
        #expect(limit["default"]?.int64 == Int64(LedgerHost.usualPageCount))
        let entries = document.resolved("#/components/parameters/EntriesLimit/schema")
        #expect(entries["maximum"]?.int64 == Int64(LedgerHost.maximumPageCount))
        #expect(entries["default"] == entries["maximum"])
        let order = document.resolved("#/components/parameters/TimelineOrder/schema")
        #expect(
            (order["enum"]?.array ?? []).compactMap(\.string)
                == TimelineOrder.allCases.map(\.rawValue))
        let path = document.schema("PathText")
        #expect(path["maxLength"]?.int64 == Int64(PathReader.maximumByteCount))
        let cursor = document.schema("ChangeCursor")
        #expect(cursor["maxLength"]?.int64 == Int64(StreamLimits.cursorByteCount))
        let customer = document.schema("CustomerName")
        #expect(customer["maxLength"]?.int64 == Int64(CommandLimits.customerByteCount))
        let batch = document.resolved("#/components/schemas/CustomersBody/properties/customers")
        #expect(batch["maxItems"]?.int64 == Int64(CustomersBody.customerCount))
        let grant = document.resolved("#/components/schemas/GrantBody/properties/entitlement")
        #expect(grant["maxLength"]?.int64 == Int64(CommandLimits.entitlementByteCount))
        for (name, bound) in [
            ("Actor", CommandLimits.actorByteCount), ("Reason", CommandLimits.reasonByteCount),
            ("IdempotencyKey", CommandLimits.idByteCount), ("ActKey", CommandLimits.idByteCount),
            ("ListAfter", QueryParameters.cursorByteCount),
        ] {
            let schema = document.resolved("#/components/parameters/\(name)/schema")
            #expect(schema["maxLength"]?.int64 == Int64(bound), "\(name)")
        }
    }
}
