import ArgumentParser

struct APICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api",
        abstract: "Call the App Store Server API; signed responses are verified and appended.",
        discussion: """
            Unless stated otherwise, an id is any transactionId, originalTransactionId or \
            appTransactionId of the customer. Without --environment, Production is queried first, \
            then Sandbox if the id is unknown there. Calls that change anything at Apple require \
            --yes.
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
