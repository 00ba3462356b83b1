import AppStore
import AppStoreAPI
import ArgumentParser

/// The calls that change nothing at Apple.
enum APIQueries {
    struct Statuses: APIRequest {
        static let configuration = CommandConfiguration(
            commandName: "statuses",
            abstract: "The current status of every subscription of the customer.")

        @Argument(help: "Any id of the customer.")
        var id: String

        @Option(
            help: "Only this status, 1 to 5; repeatable.",
            completion: .list(SubscriptionStatus.allCases.map { String($0.rawValue) }))
        var status: [Int64] = []

        func send(_ call: inout APIExchange) async throws {
            call.add(
                try await call.client.allSubscriptionStatuses(
                    id, statuses: status.map { Raw(rawValue: $0) }, in: call.choice))
        }
    }

    struct History: APIRequest {
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
            help: "Only AUTO_RENEWABLE, NON_RENEWABLE, CONSUMABLE or NON_CONSUMABLE; repeatable.",
            completion: .values(of: ProductTypeFilter.self))
        var type: [String] = []

        @Option(help: "Only this subscription group; repeatable.")
        var group: [String] = []

        @Option(
            help: "Only PURCHASED, FAMILY_SHARED or ASSIGNED.",
            completion: .values(of: InAppOwnershipType.self))
        var ownership: String?

        @Option(
            help: "ASCENDING or DESCENDING, by when a transaction was last modified.",
            completion: .values(of: HistoryOrder.self))
        var sort: String?

        @Flag(inversion: .prefixedNo, help: "Only revoked transactions, or only others.")
        var revoked: Bool?

        @Option(help: "Resume after this revision from an earlier response.")
        var revision: String?

        @Option(help: "Most pages to fetch, of 20 each.")
        var pages = 50

        func check() throws(CommandFailure) { _ = try request() }

        private func request() throws(CommandFailure) -> TransactionHistoryRequest {
            var request = TransactionHistoryRequest()
            if let from { request.startDate = try MomentOptions.time(from, "--from") }
            if let to { request.endDate = try MomentOptions.time(to, "--to") }
            request.productIds = product.map { ProductId($0) }
            request.productTypes = type.map { Raw(rawValue: $0) }
            request.subscriptionGroupIdentifiers = group.map { SubscriptionGroupIdentifier($0) }
            request.inAppOwnershipType = ownership.map { Raw(rawValue: $0) }
            request.sort = sort.map { Raw(rawValue: $0) }
            request.revoked = revoked
            return request
        }

        func send(_ call: inout APIExchange) async throws {
            let request = try request()
            try await call.add(
                call.client.transactionHistoryPages(id, request, after: revision, in: call.choice),
                limit: pages)
        }
    }

    struct TransactionInfo: APIRequest {
        static let configuration = CommandConfiguration(
            commandName: "transaction-info", abstract: "One transaction in its current state.")

        @Argument(help: "A transactionId.")
        var id: String

        func send(_ call: inout APIExchange) async throws {
            call.add(try await call.client.transactionInfo(id, in: call.choice))
        }
    }

    struct AppTransaction: APIRequest {
        static let configuration = CommandConfiguration(
            commandName: "app-transaction",
            abstract: "The customer's purchase or download of the app.")

        @Argument(help: "Any id of the customer.")
        var id: String

        func send(_ call: inout APIExchange) async throws {
            call.add(try await call.client.appTransactionInfo(id, in: call.choice))
        }
    }

    struct Order: APIRequest {
        static let configuration = CommandConfiguration(
            commandName: "order",
            abstract: "Purchases of an order id from Apple's mail to the customer.",
            discussion: "Orders exist in Production only.")

        @Argument(help: "The order id from the mail.")
        var id: String

        func send(_ call: inout APIExchange) async throws {
            // The answer would go into the ledger that was named.
            guard call.choice.environment == .production else {
                throw CommandFailure.invalidOption(
                    "Orders exist in Production only: name no other --environment or"
                        + " SUBLEDGER_ENVIRONMENT.")
            }
            call.add(try await call.client.orderLookup(id))
        }
    }

    struct Refunds: APIRequest {
        static let configuration = CommandConfiguration(
            commandName: "refunds", abstract: "Every refunded transaction of the customer.")

        @Argument(help: "Any id of the customer.")
        var id: String

        @Option(help: "Most pages to fetch, of 20 each.")
        var pages = 50

        func send(_ call: inout APIExchange) async throws {
            try await call.add(call.client.refundHistoryPages(id, in: call.choice), limit: pages)
        }
    }

    struct Notifications: APIRequest {
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

        func check() throws(CommandFailure) { _ = try request() }

        private func request() throws(CommandFailure) -> NotificationHistoryRequest {
            var request = NotificationHistoryRequest()
            request.startDate = try MomentOptions.time(from, "--from")
            request.endDate = try MomentOptions.time(to, "--to")
            request.notificationType = type.map { Raw(rawValue: $0) }
            request.notificationSubtype = subtype.map { Raw(rawValue: $0) }
            request.transactionId = id
            request.onlyFailures = onlyFailures ? true : nil
            return request
        }

        func send(_ call: inout APIExchange) async throws {
            let request = try request()
            try await call.add(
                call.client.notificationHistoryPages(request, in: call.choice.environment),
                limit: pages)
        }
    }

    struct TestNotification: APIRequest {
        static let configuration = CommandConfiguration(
            commandName: "test-notification",
            abstract: "Request a TEST notification from Apple; prints its token.")

        func send(_ call: inout APIExchange) async throws {
            call.add(try await call.client.requestTestNotification(in: call.choice.environment))
        }
    }

    struct TestStatus: APIRequest {
        static let configuration = CommandConfiguration(
            commandName: "test-status",
            abstract: "The delivery attempts of a TEST notification.")

        @Argument(help: "The testNotificationToken.")
        var token: String

        func send(_ call: inout APIExchange) async throws {
            call.add(
                try await call.client.testNotificationStatus(token, in: call.choice.environment))
        }
    }

    struct ExtendStatus: APIRequest {
        static let configuration = CommandConfiguration(
            commandName: "extend-status", abstract: "The progress of a mass extension.")

        @Argument(help: "The product that was extended.")
        var product: String

        @Argument(help: "The request identifier that was sent.")
        var requestIdentifier: String

        func send(_ call: inout APIExchange) async throws {
            call.add(
                try await call.client.massExtendRenewalDateStatus(
                    product: ProductId(product), requestIdentifier: requestIdentifier,
                    in: call.choice.environment))
        }
    }
}
