import AppStore
import AppStoreAPI
import ArgumentParser
import Foundation

/// By how much subscriptions are extended, and why.
struct ExtensionTerms: ParsableArguments {
    @Option(help: "Days to extend by, 1 to 90.")
    var days: Int64

    @Option(
        help: "Reason: 0 undeclared, 1 customer satisfaction, 2 other, 3 service issue or outage.",
        completion: .list(ExtendReasonCode.allCases.map { String($0.rawValue) }))
    var reason: Int64

    /// Throws unless Apple takes the days and the request identifier.
    func check(_ requestId: String) throws(CommandFailure) {
        guard APILimits.extensionDays.contains(days) else {
            throw .invalidOption("--days takes 1 to 90.")
        }
        let longest = APILimits.requestIdentifierCharacterCount
        guard (1...longest).contains(requestId.count) else {
            throw .invalidOption("--request-id takes 1 to \(longest) characters.")
        }
    }
}

/// The calls that change something at Apple, and require `--yes`.
enum APIChanges {
    struct Extend: APIChange {
        static let configuration = CommandConfiguration(
            commandName: "extend",
            abstract: "Extend one subscription, without charge.",
            discussion: "Apple allows two extensions within 365 days; they cannot be undone.")

        @Argument(help: "An originalTransactionId.")
        var id: String

        @OptionGroup var terms: ExtensionTerms

        @Option(help: "The request identifier: at most 128 characters.")
        var requestId: String

        func check() throws(CommandFailure) { try terms.check(requestId) }

        var deed: String { "extend \(id) by \(terms.days.named("day", "days")), irrevocably" }

        func send(_ call: inout APIExchange) async throws {
            call.add(
                try await call.client.extendRenewalDate(
                    OriginalTransactionId(id), days: terms.days,
                    reason: Raw(rawValue: terms.reason), requestIdentifier: requestId,
                    in: call.choice))
        }
    }

    struct ExtendAll: APIChange {
        static let configuration = CommandConfiguration(
            commandName: "extend-all",
            abstract: "Extend every active subscription to a product, without charge.",
            discussion: "Apple carries it out within hours to days; it cannot be undone.")

        @Argument(help: "The product.")
        var product: String

        @OptionGroup var terms: ExtensionTerms

        @Option(help: "The request identifier: a UUID.")
        var requestId: String

        @Option(help: "Only this storefront, e.g. USA; repeatable.")
        var storefront: [String] = []

        func check() throws(CommandFailure) {
            try terms.check(requestId)
            guard UUID(uuidString: requestId) != nil else {
                throw .invalidOption("--request-id takes a UUID.")
            }
        }

        var deed: String {
            "extend every active subscription to \(product) by"
                + " \(terms.days.named("day", "days")), irrevocably"
        }

        func send(_ call: inout APIExchange) async throws {
            call.add(
                try await call.client.massExtendRenewalDate(
                    ProductId(product), days: terms.days, reason: Raw(rawValue: terms.reason),
                    requestIdentifier: requestId,
                    storefronts: storefront.isEmpty ? nil : storefront,
                    in: call.choice.environment))
        }
    }

    struct Consumption: APIChange {
        static let configuration = CommandConfiguration(
            commandName: "consumption",
            abstract: "Answer a CONSUMPTION_REQUEST; do so within 12 hours.")

        @Argument(help: "A transactionId.")
        var id: String

        @Flag(help: "The customer has consented to this being sent; required by Apple.")
        var consented = false

        @Flag(help: "A sample or trial was available before the purchase.")
        var sampleProvided = false

        @Option(
            help: ArgumentHelp(
                "DELIVERED, UNDELIVERED_QUALITY_ISSUE, UNDELIVERED_WRONG_ITEM, "
                    + "UNDELIVERED_SERVER_OUTAGE or UNDELIVERED_OTHER."),
            completion: .values(of: DeliveryStatus.self))
        var delivery: String

        @Option(help: "Thousandths of a percent consumed, 0 to 100000; not for subscriptions.")
        var percentage: Int64?

        @Option(
            help: "DECLINE, GRANT_FULL or GRANT_PRORATED.",
            completion: .values(of: RefundPreference.self))
        var refund: String?

        var deed: String { "send Apple the consumption of \(id), for a decision about its refund" }

        func send(_ call: inout APIExchange) async throws {
            var request = ConsumptionRequest()
            request.customerConsented = consented
            request.sampleContentProvided = sampleProvided
            request.deliveryStatus = Raw(rawValue: delivery)
            request.consumptionPercentage = percentage
            request.refundPreference = refund.map { Raw(rawValue: $0) }
            call.add(
                try await call.client.sendConsumptionInformation(
                    TransactionId(id), request, in: call.choice))
        }
    }

    struct SetAppAccountToken: APIChange {
        static let configuration = CommandConfiguration(
            commandName: "set-app-account-token",
            abstract: "Set a subscription's appAccountToken at Apple.",
            discussion: "Applies to the current transaction and later ones.")

        @Argument(help: "An originalTransactionId.")
        var id: String

        @Argument(help: "The customer: a UUID.")
        var token: String

        var deed: String { "set the appAccountToken of \(id) and its later renewals to \(token)" }

        func send(_ call: inout APIExchange) async throws {
            call.add(
                try await call.client.setAppAccountToken(
                    OriginalTransactionId(id), token, in: call.choice))
        }
    }

    struct Finish: APIChange {
        static let configuration = CommandConfiguration(
            commandName: "finish", abstract: "Mark a transaction as finished.")

        @Argument(help: "A transactionId.")
        var id: String

        var deed: String { "mark transaction \(id) as finished" }

        func send(_ call: inout APIExchange) async throws {
            call.add(try await call.client.finishTransaction(TransactionId(id), in: call.choice))
        }
    }
}
