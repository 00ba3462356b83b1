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
        subcommands: appStore + messaging + [APIVerifyReceiptCommand.self])

    private static var appStore: [any ParsableCommand.Type] {
        [
            APICall<APIQueries.Statuses>.self, APICall<APIQueries.History>.self,
            APICall<APIQueries.TransactionInfo>.self, APICall<APIQueries.AppTransaction>.self,
            APICall<APIQueries.Order>.self, APICall<APIQueries.Refunds>.self,
            APICall<APIQueries.Notifications>.self, APICall<APIQueries.TestNotification>.self,
            APICall<APIQueries.TestStatus>.self, APICall<APIChanges.Extend>.self,
            APICall<APIChanges.ExtendAll>.self, APICall<APIQueries.ExtendStatus>.self,
            APICall<APIChanges.Consumption>.self, APICall<APIChanges.SetAppAccountToken>.self,
            APICall<APIChanges.Finish>.self,
        ]
    }

    /// The Retention Messaging API.
    private static var messaging: [any ParsableCommand.Type] {
        [
            APICall<MessagingQueries.Images>.self, APICall<MessagingChanges.UploadImage>.self,
            APICall<MessagingChanges.DeleteImage>.self, APICall<MessagingQueries.Messages>.self,
            APICall<MessagingChanges.UploadMessage>.self,
            APICall<MessagingChanges.DeleteMessage>.self,
            APICall<MessagingQueries.DefaultMessage>.self,
            APICall<MessagingChanges.SetDefaultMessage>.self,
            APICall<MessagingChanges.DeleteDefaultMessage>.self,
            APICall<MessagingQueries.RealtimeURL>.self,
            APICall<MessagingChanges.SetRealtimeURL>.self,
            APICall<MessagingChanges.DeleteRealtimeURL>.self,
            APICall<MessagingChanges.PerformanceTest>.self,
            APICall<MessagingQueries.PerformanceTestResult>.self,
        ]
    }
}
