import AppStore
import AppStoreAPI
import ArgumentParser

struct APISetAppAccountTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-app-account-token",
        abstract: "Set a subscription's appAccountToken at Apple.",
        discussion: """
            Applies to the current transaction and later ones.
            """)

    @Argument(help: "An originalTransactionId.")
    var id: String

    @Argument(help: "The customer: a UUID.")
    var token: String

    @OptionGroup var consent: APIOptions.Consent
    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            try consent.require(
                "set the appAccountToken of \(id) and its later renewals to \(token)")
        }
        try await APIRun(common: common, access: access).run(.setAppAccountToken) {
            (client, choice, answers) async throws(APIFailure) in
            var request = UpdateAppAccountTokenRequest()
            request.appAccountToken = token
            answers.add(
                try await client.setAppAccountToken(
                    OriginalTransactionId(id), request, in: choice))
        }
    }
}
