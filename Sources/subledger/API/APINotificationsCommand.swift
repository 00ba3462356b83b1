import AppStore
import AppStoreAPI
import ArgumentParser

struct APINotificationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications",
        abstract: "Notifications Apple sent in a window, and their delivery attempts.",
        discussion: "Apple keeps 180 days in Production and 30 in Sandbox.")

    @Option(help: "Sent at or after.")
    var from: String

    @Option(help: "Sent before.")
    var to: String

    @Option(help: "Only this notificationType; without --subtype, only those without one.")
    var type: String?

    @Option(help: "Only this subtype of the type.")
    var subtype: String?

    @Option(help: "Only the customer with this id; not together with --type.")
    var id: String?

    @Flag(help: "Only undelivered notifications.")
    var onlyFailures = false

    @Option(help: "Most pages to fetch, of 20 each.")
    var pages = 50

    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        var request = NotificationHistoryRequest()
        try await perform {
            request.startDate = try StatedTime.read(from, "from")
            request.endDate = try StatedTime.read(to, "to")
        }
        request.notificationType = type.map { Raw(rawValue: $0) }
        request.notificationSubtype = subtype.map { Raw(rawValue: $0) }
        request.transactionId = id
        request.onlyFailures = onlyFailures ? true : nil
        try await APIRun(common: common, access: access).run(.notificationHistory) {
            [request] (client, choice, answers) async throws(APIFailure) in
            try await answers.add(
                client.notificationHistoryPages(request, in: choice.environment),
                limit: max(1, pages))
        }
    }
}
