import AppStore
import AppStoreAPI
import ArgumentParser

struct APIOrderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "order",
        abstract: "Purchases of an order id from Apple's mail to the customer.",
        discussion: """
            Orders exist in Production only.
            """)

    @Argument(help: "The order id from the mail.")
    var id: String

    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await APIRun(common: common, access: access).run(.orderLookup) {
            (client, choice, answers) async throws(APIFailure) in
            answers.add(try await client.orderLookup(id))
        }
    }
}
