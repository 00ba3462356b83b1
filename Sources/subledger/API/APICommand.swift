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
            APICall<APIQueries.Statuses>.self, APICall<APIQueries.History>.self,
            APICall<APIQueries.TransactionInfo>.self, APICall<APIQueries.AppTransaction>.self,
            APICall<APIQueries.Order>.self, APICall<APIQueries.Refunds>.self,
            APICall<APIQueries.Notifications>.self, APICall<APIQueries.TestNotification>.self,
            APICall<APIQueries.TestStatus>.self, APICall<APIChanges.Extend>.self,
            APICall<APIChanges.ExtendAll>.self, APICall<APIQueries.ExtendStatus>.self,
            APICall<APIChanges.Consumption>.self, APICall<APIChanges.SetAppAccountToken>.self,
            APICall<APIChanges.Finish>.self, APIVerifyReceiptCommand.self,
        ])
}
