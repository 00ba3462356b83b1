import AppStore
import Foundation
import HTTPTypes
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Signing
import Simulator
import Testing

@testable import Service
@testable import Web

@Suite("Upload budget of one chain")
struct UploadBudgetTests {
    private let purchase = MadePurchase()

    /// The first period's transaction, signed again `seconds` later.
    private static func signedAgain(
        _ purchase: MadePurchase, _ seconds: Int, customer: String? = nil
    ) throws -> [UInt8] {
        var transaction = purchase.transaction(0)
        transaction.signedDate = purchase.start.advanced(
            byMilliseconds: 3_000 + Int64(seconds) * 1_000)
        return try MadePurchase.upload(transaction, customer: customer)
    }

    /// Uses up all but so many events of the purchase's budget.
    private func spend(allBut count: Int, _ host: LedgerHost) {
        let chain = ChainId(
            bundleId: BundleId(purchase.bundleId),
            originalTransactionId: OriginalTransactionId(purchase.id))
        for _ in count..<UploadBudget.eventCountPerDay {
            #expect(host.uploadBudget.take(chain, .production, at: ServedPlace.now))
        }
    }

    // MARK: The budget

    @Test(
        "At the limit the last one is accepted, one past it is refused; another chain has its own")
    func bound() {
        let budget = UploadBudget()
        let chain = ChainId(
            bundleId: BundleId("app"), originalTransactionId: OriginalTransactionId("1"))
        let other = ChainId(
            bundleId: BundleId("app"), originalTransactionId: OriginalTransactionId("2"))
        let day = ServedPlace.now
        for _ in 0..<UploadBudget.eventCountPerDay {
            #expect(budget.take(chain, .production, at: day))
        }
        #expect(!budget.take(chain, .production, at: day))
        #expect(budget.take(other, .production, at: day))
        #expect(budget.take(chain, .sandbox, at: day))
        budget.giveBack(chain, .production, at: day)
        #expect(budget.take(chain, .production, at: day))
        #expect(!budget.take(chain, .production, at: day))
        let next = day.advanced(byMilliseconds: 86_400_000)
        for _ in 0..<UploadBudget.eventCountPerDay {
            #expect(budget.take(chain, .production, at: next))
            // Taken before midnight and given back after it.
            budget.giveBack(chain, .production, at: day)
        }
        #expect(!budget.take(chain, .production, at: next))
    }

    @Test(
        "The budget states when it resets, at any time of any clock",
        arguments: [
            (0, 86_400), (1, 86_400), (86_399_999, 1), (-1, 1), (-86_400_000, 86_400),
            (Int64.max, 0), (Int64.min, 0),
        ] as [(Int64, Int)])
    func wait(milliseconds: Int64, seconds: Int) {
        let left = UploadBudget.secondsLeft(at: Timestamp(milliseconds: milliseconds))
        #expect((1...86_400).contains(left))
        if seconds > 0 { #expect(left == seconds) }
    }

    @Test("Beyond it a new signature is a 429; known evidence and Apple's deliveries are accepted")
    func refused() async throws {
        let place = try ServedPlace()
        let path = place.directory(of: .production) + "/log.sqlite"
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            spend(allBut: 2, host)
            for number in 0..<2 {
                let body = try Self.signedAgain(purchase, number)
                let answer = try await client.post("/v1/transactions", body)
                #expect(answer.json["result"]?.string == "appended", "\(number)")
            }
            let log = try host.ledger(.production).ledger.log
            let head = try await log.head().position
            let next = try Self.signedAgain(purchase, 2)
            let answer = try await client.post("/v1/transactions", next)
            #expect(answer.status == 429 && answer.code == "uploadBudgetExhausted")
            let wait = try #require(answer.headers[.retryAfter].flatMap { Int($0) })
            #expect((1...86_400).contains(wait))
            #expect(try await log.head().position == head)
            #expect(try await host.ledger(.production).ledger.operations.quarantineCount() == 0)
            let known = try await client.post(
                "/v1/transactions", try Self.signedAgain(purchase, 0))
            #expect(known.json["result"]?.string == "duplicate")
            #expect(known.json["subscription"]?["originalTransactionId"]?.string == purchase.id)
            #expect(try await client.notify(purchase.notificationBody(1)).status == 200)
            #expect(try await log.head().position == head + 1)
            var other = purchase
            other.id = "500000000000009"
            #expect(try await client.post("/v1/transactions", other.uploadBody()).status == 200)
            // Where the log cannot be read, it is not known whether the event is new.
            try FileManager.default.removeItem(atPath: path)
            let unread = try await client.post(
                "/v1/transactions", try Self.signedAgain(purchase, 0))
            #expect(unread.status == 503 && unread.code == "fileReplaced")
            #expect(unread.headers[.retryAfter] == String(Problem.failureRetrySeconds))
        }
    }

    @Test("A claim that would be written uses the budget; one that changes nothing does not")
    func claims() async throws {
        var place = try ServedPlace()
        place.configuration.claimPolicy = .transfer
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let log = try host.ledger(.production).ledger.log
            func claim(_ customer: String) async throws -> WebClient.Answer {
                try await client.post(
                    "/v1/transactions", try Self.signedAgain(purchase, 0, customer: customer))
            }
            // The transaction takes one, and each claim that moves the chain another.
            spend(allBut: 4, host)
            for number in 1...3 {
                #expect(try await claim("c\(number)").json["claim"]?.string == "moved")
            }
            let head = try await log.head().position
            #expect(head == 4)
            #expect(try await claim("c3").json["claim"]?.string == "held")
            let beyond = try await claim("eve")
            #expect(beyond.status == 429 && beyond.code == "uploadBudgetExhausted")
            #expect(try await log.head().position == head)
        }
    }

    @Test(
        "Receipts without purchases count for the buyer of the app, in the Sandbox each for itself",
        arguments: [(ReceiptType.production, 429), (.productionSandbox, 200)])
    func withoutPurchases(type: ReceiptType, status: Int) async throws {
        let start = purchase.start
        func body(_ seconds: Int, boughtAt bought: Timestamp) throws -> [UInt8] {
            var contents = ReceiptContents(
                type: type, bundleId: MadePurchase.app,
                creationDate: start.advanced(byMilliseconds: Int64(seconds) * 1_000))
            contents.attributes = contents.attributes.map {
                $0.type == 18 ? .date(18, bought) : $0
            }
            let receipt = Base64.standard.encode(try TestAuthority.receipts.sign(contents))
            return MadeReceipt.body(String(decoding: receipt, as: UTF8.self))
        }
        let uploads = try (0...2).map { try body($0, boughtAt: start) }
        let other = try body(0, boughtAt: start.advanced(byMilliseconds: 1_000))
        var place = try ServedPlace()
        place.roots = MadeReceipt.roots
        let buyer = ChainId(
            bundleId: BundleId(MadePurchase.app),
            originalTransactionId: try ReceiptBody(uploads[0]).buyer)
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            for _ in 2..<UploadBudget.eventCountPerDay {
                let environment = type == .production ? Environment.production : .sandbox
                #expect(host.uploadBudget.take(buyer, environment, at: ServedPlace.now))
            }
            for (number, body) in uploads.dropLast().enumerated() {
                #expect(try await client.post("/v1/receipts", body).status == 200, "\(number)")
            }
            let last = try await client.post("/v1/receipts", uploads[2])
            #expect(
                last.status == status
                    && last.code == (status == 429 ? "uploadBudgetExhausted" : nil))
            let known = try await client.post("/v1/receipts", uploads[0])
            #expect(known.json["result"]?.string == "duplicate")
            #expect(try await client.post("/v1/receipts", other).status == 200)
        }
    }

    // MARK: The cost

    @Test("A later signature of an unchanged purchase is an event, and closes a revocation")
    func closes() async throws {
        var revoked = purchase.transaction(0)
        revoked.revocationDate = purchase.start.advanced(byMilliseconds: 10_000)
        revoked.signedDate = purchase.start.advanced(byMilliseconds: 10_000)
        let revocation = try MadePurchase.upload(revoked)
        var place = try ServedPlace()
        place.now = purchase.start.advanced(byMilliseconds: 60_000)
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            for (body, state) in [
                (try Self.signedAgain(purchase, 0), "subscribed"), (revocation, "revoked"),
                (try Self.signedAgain(purchase, 20), "subscribed"),
            ] {
                let answer = try await client.post("/v1/transactions", body)
                #expect(answer.json["result"]?.string == "appended")
                #expect(answer.json["subscription"]?["state"]?.string == state)
            }
        }
    }

    @Test("An upload's response folds no more facts than the limit, however long the chain is")
    func cost() async throws {
        let metrics = ServiceMetrics()
        var place = try ServedPlace()
        place.metrics = metrics
        place.roots = MadeReceipt.roots
        var bought = purchase
        bought.appAccountToken = "f3a86f0d-52be-4c53-8f0e-7d9b1c44d033"
        let purchase = bought
        place.now = purchase.start.advanced(byMilliseconds: 86_400_000)
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            func folded() async throws -> Int? {
                let text = try await client.get("/metrics").text
                return text.split(separator: "\n").first {
                    $0.hasPrefix("subledger_upload_facts_total ")
                }.flatMap { Int($0.split(separator: " ")[1]) }
            }
            let served = try host.ledger(.production)
            // Events that no client sent are not counted: the chain is one fact below the limit.
            for first in stride(from: 0, to: ServedLedger.uploadFactCount - 1, by: 500) {
                let numbers = first..<min(first + 500, ServedLedger.uploadFactCount - 1)
                _ = try await served.append(try numbers.map { try Self.event(purchase, $0) })
            }
            let last = Int64(ServedLedger.uploadFactCount - 1)
            _ = try await served.snapshot(atLeast: last, limit: .seconds(120))
            let upload = try Self.signedAgain(purchase, 100_000)
            let atBound = try await client.post("/v1/transactions", upload)
            #expect(atBound.json["subscription"]?["originalTransactionId"]?.string == purchase.id)
            #expect(try await folded() == ServedLedger.uploadFactCount)
            _ = try await served.snapshot(atLeast: last + 1, limit: .seconds(120))
            #expect(try await client.notify(purchase.notificationBody()).status == 200)
            _ = try await served.snapshot(atLeast: last + 2, limit: .seconds(120))
            let past = try await client.post(
                "/v1/transactions", try Self.signedAgain(purchase, 100_001))
            #expect(past.status == 200 && past.json["result"]?.string == "appended")
            #expect(past.json["subscription"]?.isNull == true)
            #expect(past.json["customer"]?.string == purchase.appAccountToken)
            #expect(past.json["standing"]?.string == "active")
            #expect(try await folded() == ServedLedger.uploadFactCount)
            for (customer, claim) in [(purchase.appAccountToken, "held"), ("eve", "refused")] {
                let body = try Self.signedAgain(purchase, 100_001, customer: customer)
                let answer = try await client.post("/v1/transactions", body)
                #expect(answer.json["claim"]?.string == claim)
            }
            #expect(try await folded() == ServedLedger.uploadFactCount)
            // A receipt answers the chain, and claims it, however long it is.
            let receipt = MadeReceipt.body(
                try MadeReceipt.base64([purchase], periods: 1), customer: purchase.appAccountToken)
            let named = try await client.post("/v1/receipts", receipt)
            #expect(named.json["subscriptions"]?.array?.count == 1)
            #expect(named.json["chainsOmitted"]?.int64 == 0)
            #expect(named.json["claims"]?.array?.first?["claim"]?.string == "held")
        }
    }

    /// The first period's transaction, signed again `seconds` later, as a log has it: stored
    /// evidence is not verified again.
    private static func event(_ purchase: MadePurchase, _ seconds: Int) throws -> NewEvent {
        var transaction = purchase.transaction(0)
        transaction.signedDate = purchase.start.advanced(
            byMilliseconds: 3_000 + Int64(seconds) * 1_000)
        let payload = String(decoding: transaction.encoded(), as: UTF8.self)
        let token = Sample.token(payload, header: Sample.otherHeader)
        return NewEvent(
            key: EventKey.make(.transaction, ["\(seconds)"]),
            attributes: EventAttributes(
                kind: .transaction, source: .import, trust: .signed,
                bundleId: BundleId(purchase.bundleId), chain: OriginalTransactionId(purchase.id),
                signedAt: transaction.signedDate),
            receivedAt: purchase.start, receivedAtClaimed: false,
            evidence: try Sample.packer.pack(.jws(Array(token.utf8))))
    }
}
