import AppStore
import AppStoreAPI
import ArgumentParser

struct APIExtendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend",
        abstract: "Extend one subscription, without charge.",
        discussion: """
            Apple allows two extensions within 365 days; they cannot be undone.
            """)

    @Argument(help: "An originalTransactionId.")
    var id: String

    @Option(help: "Days to extend by, 1 to 90.")
    var days: Int64

    @Option(
        help: "Reason: 0 undeclared, 1 customer satisfaction, 2 other, 3 service issue or outage.")
    var reason: Int64

    @Option(help: "The request identifier: at most 128 characters.")
    var requestId: String

    @OptionGroup var consent: APIOptions.Consent
    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            try consent.require("extend \(id) by \(days) days, irrevocably")
        }
        try await APIRun(common: common, access: access).run(.extendRenewalDate) {
            (client, choice, answers) async throws(APIFailure) in
            var request = ExtendRenewalDateRequest()
            request.extendByDays = days
            request.extendReasonCode = Raw(rawValue: reason)
            request.requestIdentifier = requestId
            answers.add(
                try await client.extendRenewalDate(
                    OriginalTransactionId(id), request, in: choice))
        }
    }
}
