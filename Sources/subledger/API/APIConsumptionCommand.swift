import AppStore
import AppStoreAPI
import ArgumentParser

struct APIConsumptionCommand: AsyncParsableCommand {
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
                + "UNDELIVERED_SERVER_OUTAGE or UNDELIVERED_OTHER."))
    var delivery: String

    @Option(help: "Thousandths of a percent consumed, 0 to 100000; not for subscriptions.")
    var percentage: Int64?

    @Option(help: "DECLINE, GRANT_FULL or GRANT_PRORATED.")
    var refund: String?

    @OptionGroup var consent: APIOptions.Consent
    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            try consent.require(
                "send Apple the consumption of \(id), for a decision about its refund")
        }
        try await APIRun(common: common, access: access).run(.sendConsumptionInformation) {
            (client, choice, answers) async throws(APIFailure) in
            var request = ConsumptionRequest()
            request.customerConsented = consented
            request.sampleContentProvided = sampleProvided
            request.deliveryStatus = Raw(rawValue: delivery)
            request.consumptionPercentage = percentage
            request.refundPreference = refund.map { Raw(rawValue: $0) }
            answers.add(
                try await client.sendConsumptionInformation(
                    TransactionId(id), request, in: choice))
        }
    }
}
