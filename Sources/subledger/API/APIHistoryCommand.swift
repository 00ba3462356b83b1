import AppStore
import AppStoreAPI
import ArgumentParser

struct APIHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "The customer's transactions, filtered by the options.")

    @Argument(help: "Any id of the customer.")
    var id: String

    @Option(help: "Purchased at or after.")
    var from: String?

    @Option(help: "Purchased before.")
    var to: String?

    @Option(help: "Only this product; repeatable.")
    var product: [String] = []

    @Option(
        help: "Only AUTO_RENEWABLE, NON_RENEWABLE, CONSUMABLE or NON_CONSUMABLE; repeatable.")
    var type: [String] = []

    @Option(help: "Only this subscription group; repeatable.")
    var group: [String] = []

    @Option(help: "Only PURCHASED, FAMILY_SHARED or ASSIGNED.")
    var ownership: String?

    @Option(help: "ASCENDING or DESCENDING, by when a transaction was last modified.")
    var sort: String?

    @Flag(inversion: .prefixedNo, help: "Only revoked transactions, or only others.")
    var revoked: Bool?

    @Option(help: "Resume after this revision from an earlier response.")
    var revision: String?

    @Option(help: "Most pages to fetch, of 20 each.")
    var pages = 50

    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        var request = TransactionHistoryRequest()
        try await perform {
            request.startDate = try from.map { try StatedTime.read($0, "from") }
            request.endDate = try to.map { try StatedTime.read($0, "to") }
        }
        request.productIds = product.map { ProductId($0) }
        request.productTypes = type.map { Raw(rawValue: $0) }
        request.subscriptionGroupIdentifiers = group.map { SubscriptionGroupIdentifier($0) }
        request.inAppOwnershipType = ownership.map { Raw(rawValue: $0) }
        request.sort = sort.map { Raw(rawValue: $0) }
        request.revoked = revoked
        try await APIRun(common: common, access: access).run(.transactionHistory) {
            [request] (client, choice, answers) async throws(APIFailure) in
            try await answers.add(
                client.transactionHistoryPages(id, request, after: revision, in: choice),
                limit: max(1, pages))
        }
    }
}
