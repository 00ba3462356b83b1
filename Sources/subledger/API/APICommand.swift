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
            APICall<APIQueries.TestStatus>.self, APIChangeCall<APIChanges.Extend>.self,
            APIChangeCall<APIChanges.ExtendAll>.self, APICall<APIQueries.ExtendStatus>.self,
            APIChangeCall<APIChanges.Consumption>.self,
            APIChangeCall<APIChanges.SetAppAccountToken>.self,
            APIChangeCall<APIChanges.Finish>.self,
        ]
    }

    /// The Retention Messaging API.
    private static var messaging: [any ParsableCommand.Type] {
        [
            APICall<MessagingQueries.Images>.self, APIChangeCall<MessagingChanges.UploadImage>.self,
            APIChangeCall<MessagingChanges.DeleteImage>.self,
            APICall<MessagingQueries.Messages>.self,
            APIChangeCall<MessagingChanges.UploadMessage>.self,
            APIChangeCall<MessagingChanges.DeleteMessage>.self,
            APICall<MessagingQueries.DefaultMessage>.self,
            APIChangeCall<MessagingChanges.SetDefaultMessage>.self,
            APIChangeCall<MessagingChanges.DeleteDefaultMessage>.self,
            APICall<MessagingQueries.RealtimeURL>.self,
            APIChangeCall<MessagingChanges.SetRealtimeURL>.self,
            APIChangeCall<MessagingChanges.DeleteRealtimeURL>.self,
            APIChangeCall<MessagingChanges.PerformanceTest>.self,
            APICall<MessagingQueries.PerformanceTestResult>.self,
        ]
    }
}
