import AppStore
import AppStoreAPI
import ArgumentParser

struct APIStatusesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "statuses",
        abstract: "The current status of every subscription of the customer.")

    @Argument(help: "Any id of the customer.")
    var id: String

    @Option(help: "Only this status, 1 to 5; repeatable.")
    var status: [Int64] = []

    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await APIRun(common: common, access: access).run(.allSubscriptionStatuses) {
            (client, choice, answers) async throws(APIFailure) in
            answers.add(
                try await client.allSubscriptionStatuses(
                    id, statuses: status.map { Raw(rawValue: $0) }, in: choice))
        }
    }
}
