import AppStore
import AppStoreAPI
import ArgumentParser

struct APIExtendAllCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend-all",
        abstract: "Extend every active subscription to a product, without charge.",
        discussion: """
            Apple carries it out within hours to days; it cannot be undone.
            """)

    @Argument(help: "The product.")
    var product: String

    @Option(help: "Days to extend by, 1 to 90.")
    var days: Int64

    @Option(
        help: "Reason: 0 undeclared, 1 customer satisfaction, 2 other, 3 service issue or outage.")
    var reason: Int64

    @Option(help: "The request identifier: a UUID.")
    var requestId: String

    @Option(help: "Only this storefront, e.g. USA; repeatable.")
    var storefront: [String] = []

    @OptionGroup var consent: APIOptions.Consent
    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            try consent.require(
                "extend every active subscription to \(product) by \(days) days, irrevocably")
        }
        try await APIRun(common: common, access: access).run(.massExtendRenewalDate) {
            (client, choice, answers) async throws(APIFailure) in
            var request = MassExtendRenewalDateRequest()
            request.productId = ProductId(product)
            request.extendByDays = days
            request.extendReasonCode = Raw(rawValue: reason)
            request.requestIdentifier = requestId
            request.storefrontCountryCodes = storefront.isEmpty ? nil : storefront
            answers.add(
                try await client.massExtendRenewalDate(request, in: choice.environment))
        }
    }
}
