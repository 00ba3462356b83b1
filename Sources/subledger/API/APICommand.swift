import ArgumentParser

struct APICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api",
        abstract: "Ask the App Store Server API; signed answers are verified and appended.",
        discussion: """
            An id is any transactionId, originalTransactionId or appTransactionId of the customer \
            where nothing else is said. Without --environment, Production is asked first, and \
            Sandbox where it does not know the id. What changes something at Apple's is only sent \
            with --yes.
            """,
        subcommands: [
            APIStatusesCommand.self, APIHistoryCommand.self, APITransactionInfoCommand.self,
            APIAppTransactionCommand.self, APIOrderCommand.self, APIRefundsCommand.self,
            APINotificationsCommand.self, APITestNotificationCommand.self,
            APITestStatusCommand.self, APIExtendCommand.self, APIExtendAllCommand.self,
            APIExtendStatusCommand.self, APIConsumptionCommand.self,
            APISetAppAccountTokenCommand.self, APIFinishCommand.self,
            APIVerifyReceiptCommand.self,
        ])
}
