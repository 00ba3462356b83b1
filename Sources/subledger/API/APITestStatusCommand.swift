import AppStore
import AppStoreAPI
import ArgumentParser

struct APITestStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-status",
        abstract: "The delivery attempts of a TEST notification.")

    @Argument(help: "The testNotificationToken.")
    var token: String

    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await APIRun(common: common, access: access).run(.testNotificationStatus) {
            (client, choice, answers) async throws(APIFailure) in
            answers.add(
                try await client.testNotificationStatus(token, in: choice.environment))
        }
    }
}
