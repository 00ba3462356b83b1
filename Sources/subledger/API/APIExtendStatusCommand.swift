import AppStore
import AppStoreAPI
import ArgumentParser

struct APIExtendStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend-status",
        abstract: "The progress of a mass extension.")

    @Argument(help: "The product that was extended.")
    var product: String

    @Argument(help: "The request identifier that was sent.")
    var requestIdentifier: String

    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await APIRun(common: common, access: access).run(.massExtendRenewalDateStatus) {
            (client, choice, answers) async throws(APIFailure) in
            answers.add(
                try await client.massExtendRenewalDateStatus(
                    product: ProductId(product), requestIdentifier: requestIdentifier,
                    in: choice.environment))
        }
    }
}
