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

    private static let environments = AppStore.Environment.allCases

    /// Each with the schema or parameter that lists it.
    private static let lists: [(pointer: String, values: [String])] = [
        ("State", ChainState.allCases.map(\.rawValue)),
        ("EndReason", EndReason.allCases.map(\.rawValue)),
        ("EventKind", EventKind.allCases.map(\.rawValue)),
        ("ChangeName", ChangeName.allCases.map(\.rawValue)),
        (
            "FactName", TimelineEventName.allCases.map(\.rawValue) + ["granted", "grantWithdrawn"]
        ),
        ("Notice/properties/code", NoticeCode.allCases.map(\.rawValue)),
        ("EnvironmentWord", environments.map(\.rawValue)),
        ("EnvironmentName", environments.map { EnvironmentLedger.directoryName($0) }),
        ("Command/properties/name", Command.Name.allCases.map(\.rawValue)),
        ("EventMembers/properties/source", EventSource.allCases.map(\.rawValue)),
        ("Trust", Trust.allCases.map(\.rawValue)),
        (
            "SubscriptionTerms/properties/appAccountTokenTrust", Trust.allCases.map(\.rawValue)
        ),
        (
            "SubscriptionTerms/properties/phase", ChainAnswer.Phase.allCases.map(\.rawValue)
        ),
        (
            "SubscriptionTerms/properties/priceIncrease",
            ChainAnswer.PriceIncrease.allCases.map(\.rawValue)
        ),
        ("UploadAnswer/properties/result", ["appended", "duplicate", "conflict"]),
        ("UploadAnswer/properties/claim", Holders.ClaimOutcome.allCases.map(\.rawValue)),
        ("Standing", Standing.allCases.map(\.rawValue)),
        ("Verdict/properties/basis", Verdict.Basis.allCases.map(\.rawValue)),
        // Claims arrive in uploads.
        ("Decision/properties/command", ["link", "unlink", "grant", "ungrant", "note"]),
        ("EntryMembers/properties/kind", ["state", "fact"]),
        ("SearchMatch/properties/kind", SearchMatch.Kind.allCases.map(\.rawValue)),
        (
            "TransactionStanding/properties/standing",
            TransactionStanding.Outcome.allCases.map(\.rawValue)
        ),
        (
            "Signature/properties/kind", SignatureRequest.Kind.allCases.map(\.rawValue)
        ),
        ("EligibilityReason", OfferEligibility.Reason.allCases.map(\.rawValue)),
        ("ReportInterval", ReportInterval.allCases.map(\.rawValue)),
        ("MetricsRemark", MetricsRemark.allCases.map(\.rawValue)),
        ("MetricsStamp/properties/definition", MetricName.definitions),
        ("MetricName", MetricName.allCases.map(\.rawValue)),
        ("DefinitionPack", DefinitionPack.allCases.map(\.rawValue)),
        ("DefinitionRule", DefinitionRule.allCases.map(\.rawValue)),
        ("Health/properties/status", ["ok", "ready", "notReady"]),
        (
            "RetentionAnswer/properties/alternateProduct/properties/billingPlanType",
            BillingPlanType.allCases.map(\.rawValue)
        ),
        ("QuarantineStanding", QuarantineStanding.allCases.map(\.rawValue)),
        (
            "Outage/properties/reasons/items", OutageDetection.Reason.allCases.map(\.rawValue)
        ),
        // Claims arrive in uploads.
        ("RefusedDecision/properties/command", ["link", "unlink", "grant", "ungrant", "note"]),
    ]

    @Test("A list contains exactly the existing values")
    func same() {
        for list in DocumentEnumerationTests.lists {
            let schema = document.resolved("#/components/schemas/\(list.pointer)")
            let values = (schema["enum"]?.array ?? []).filter { !$0.isNull }.compactMap(\.string)
            #expect(values.sorted() == list.values.sorted(), "\(list.pointer)")
        }
    }

    @Test("The orders of a timeline are the existing ones, in this order")
    func orders() {
        let order = document.resolved("#/components/parameters/TimelineOrder/schema")
        #expect(
            (order["enum"]?.array ?? []).compactMap(\.string)
                == TimelineOrder.allCases.map(\.rawValue))
    }

    @Test("Apple's numbers are those of the states")
    func appleStatus() {
        let schema = document.resolved(
            "#/components/schemas/SubscriptionTerms/properties/appleStatus")
        let values = Set((schema["enum"]?.array ?? []).map(\.int64))
        #expect(values == Set(ChainState.allCases.map(\.appleStatus)))
    }
}
