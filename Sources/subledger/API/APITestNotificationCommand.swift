import AppStore
import AppStoreAPI
import ArgumentParser

struct APITestNotificationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-notification",
        abstract: "Request a TEST notification from Apple; prints its token.")

    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await APIRun(common: common, access: access).run(.requestTestNotification) {
            (client, choice, answers) async throws(APIFailure) in
            answers.add(try await client.requestTestNotification(in: choice.environment))
        }
    }
}
