import AppStore
import ArgumentParser
import Queries

struct FindCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Customers, subscriptions, transactions and events by id, or its beginning.")

    @Argument(
        help: ArgumentHelp(
            "A customer, originalTransactionId, transactionId, webOrderLineItemId,"
                + " notificationUUID, or #13 for the event at position 13.", valueName: "text"))
    var text: String

    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let answer = try await settings.withSession { session in
            try await session.snapshot.search(text, bundleId: settings.bundleId)
        }
        return Output(
            json: { answer.write(to: &$0) }, text: answer.lines().printableText,
            isClean: !answer.matches.isEmpty)
    }
}
