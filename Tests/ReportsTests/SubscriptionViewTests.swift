import AppStore
import Foundation
import GRDB
import Ledger
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Simulator
import Testing

/// The SQL views of chains against what the commands answer at the same moment. The views read the
/// machine's clock, so the chains lie around today; nothing changes within two days of it.
@Suite("Views of subscriptions")
struct SubscriptionViewTests {
    /// The beginning of today, with milliseconds that a view must not lose.
    private static let today = Timestamp(
        milliseconds: Int64(Date.now.timeIntervalSince1970) / 86_400 * 86_400_000 + 123)

    private static func day(_ days: Int64) -> Timestamp {
        today.advanced(byMilliseconds: days * 86_400_000)
    }

    private static let token = "f3a86f0d-52be-4c53-8f0e-7d9b1c44d033"

    /// - Parameter start: days from today.
    private static func chain(
        _ number: Int, start: Int64, token: String? = token
    ) -> MadeChain {
        MadeChain(id: "50000000000000\(number)", start: day(start), appAccountToken: token)
    }

    private static let open = chain(1, start: -12)
    /// Linked to one customer, then to another.
    private static let moved = chain(2, start: -40, token: nil)
    private static let ended = chain(3, start: -100)
    private static let coming = chain(4, start: 10)
    private static let grace = chain(5, start: -35)
    /// Known only by the shared secret, which gives no access.
    private static let secret = chain(6, start: -12)
    private static let owned = chain(7, start: -12)
    /// Bought again without renewal info and then with it: in the future, and in the past.
    private static let returning = chain(8, start: -100)
    private static let returned = chain(9, start: -160)

    private static let chains = [
        open, moved, ended, coming, grace, secret, owned, returning, returned,
    ]

    // MARK: Evidence

    /// The payment due 5 days ago failed; access continues for 6 more days.
    private static var failed: MadeDelivery {
        var failed = grace.notification(
            .didFailToRenew, .gracePeriod, 0, at: grace.start(1), status: .billingGracePeriod)
        if case .notification(let payload, let transaction, var renewal?) = failed.evidence {
            renewal.gracePeriodExpiresDate = day(6)
            failed.evidence = .notification(payload, transaction, renewal)
        }
        return failed
    }

    private static var purchase: MadeDelivery {
        owned.notification(.oneTimeCharge, nil, 0, at: owned.start).withTransaction {
            $0.type = Raw(.nonConsumable)
            $0.expiresDate = nil
        }
    }

    private static func pauses(_ chain: MadeChain) -> [MadeDelivery] {
        var silent = chain.renewed(2)
        if case .notification(let payload, let transaction, _) = silent.evidence {
            silent.evidence = .notification(payload, transaction, nil)
        }
        return [chain.bought(), silent, chain.renewed(4)]
    }

    private static let shared = SharedLedger { ledger in
        try ledger.share()
        let first = secret.notificationV1("INITIAL_BUY", through: 0, at: secret.start)
        _ = try await ledger.ingest([first])
        _ = try await ledger.ingest(
            [open.bought(), moved.bought(), moved.renewed(1)] + ended.life
                + [coming.bought(), coming.renewed(1), grace.bought(), failed, purchase]
                + pauses(returning) + pauses(returned))
        for (customer, days) in [("ann", -9), ("bob", -8)] as [(String, Int64)] {
            try await ledger.decide(.link(CustomerId(customer)), moved.chainId, at: day(days))
        }
        // About a customer, and no chain.
        try await ledger.decide(.note(CustomerId("ann")), at: day(-9))
    }

    // MARK: Lines

    /// The rows of a view, each as one line of these columns, in order of the lines.
    private func rows(
        _ view: String, _ columns: [String], of ledger: TemporaryLedger
    ) async throws -> [String] {
        try await ledger.session { try lines(view, columns, in: $0.projections.path) }
    }

    private func lines(_ view: String, _ columns: [String], in path: String) throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        let line = columns.map { "coalesce(\($0), '–')" }.joined(separator: " || ' ' || ")
        let sql = "SELECT \(line) FROM \(view)"
        return try queue.read { try String.fetchAll($0, sql: sql) }.sorted()
    }

    /// The members of an answer as a line; a dot separates the names of nested ones.
    private func line(_ answer: JSONValue, _ members: [String]) -> String {
        members.map { member -> String in
            let value = member.split(separator: ".").reduce(answer) { found, name in
                found[String(name)] ?? .null
            }
            if value.isNull { return "–" }
            if let flag = value.bool { return flag ? "1" : "0" }
            return value.string ?? String(decoding: value.encoded(), as: UTF8.self)
        }.joined(separator: " ")
    }

    // MARK: Views

    private static let states = [
        "\(open.id) subscribed 1", "\(moved.id) renewing 1", "\(ended.id) expired 0",
        "\(grace.id) grace 1", "\(secret.id) subscribed 0", "\(owned.id) owned 1",
        "\(returning.id) expired 0", "\(returned.id) expired 0",
    ]

    @Test("current_subscriptions has each chain that has begun, with its state and access now")
    func current() async throws {
        let ledger = try await Self.shared.copy()
        let found = try await rows(
            "current_subscriptions",
            [
                "original_transaction_id", "state", "entitled", "product_id", "transaction_id",
                "interval_from", "interval_to",
            ], of: ledger)
        let answers = try await ledger.exportLines(.subscriptions, at: Self.today)
        let expected = answers.map {
            line(
                $0,
                [
                    "originalTransactionId", "state", "entitled", "productId", "transactionId",
                    "since", "until",
                ])
        }
        #expect(found == expected.sorted())
        let states = found.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
        #expect(states == Self.states)
    }

    @Test("customer_subscriptions has each chain that has begun, under who holds it now")
    func customers() async throws {
        let ledger = try await Self.shared.copy()
        let found = try await rows(
            "customer_subscriptions",
            [
                "customer", "original_transaction_id", "state", "entitled", "product_id",
                "interval_from", "interval_to",
            ], of: ledger)
        let answers = try await ledger.exportLines(.subscriptions, at: Self.today)
        let expected = answers.map { answer -> String in
            let isMoved = answer["originalTransactionId"]?.string == Self.moved.id
            return (isMoved ? "bob " : "\(Self.token) ")
                + line(
                    answer,
                    [
                        "originalTransactionId", "state", "entitled", "productId", "since",
                        "until",
                    ])
        }
        #expect(found == expected.sorted())
        #expect(found.count == Self.states.count)
    }

    @Test("subscription_history has every interval, also those to come")
    func history() async throws {
        let ledger = try await Self.shared.copy()
        let found = try await rows(
            "subscription_history",
            [
                "original_transaction_id", "state", "state_from", "state_to", "product_id",
                "transaction_id",
            ], of: ledger)
        let expected = try await ledger.session { session in
            var lines: [String] = []
            for chain in Self.chains {
                let reading = try await session.snapshot.reading(chain.id, moment: ledger.moment())
                let timeline = try TemporaryLedger.json { reading.writeTimeline(to: &$0) }
                let members = ["state", "from", "to", "productId", "transactionId"]
                lines += (timeline["intervals"]?.array ?? []).map {
                    "\(chain.id) \(line($0, members))"
                }
            }
            return lines
        }
        #expect(found == expected.sorted())
        #expect(found.contains { $0.hasPrefix("\(Self.coming.id) subscribed ") })
    }

    @Test("state_transitions has every change of state so far, with its reason and its event")
    func transitions() async throws {
        let ledger = try await Self.shared.copy()
        let found = try await rows(
            "state_transitions",
            [
                "original_transaction_id", "at_time", "from_state", "to_state", "reason",
                "product_id", "transaction_id", "cause",
            ], of: ledger)
        let answers = try await ledger.exportLines(.transitions, at: Self.today)
        let expected = answers.map {
            line(
                $0,
                [
                    "originalTransactionId", "at", "from", "to", "reason", "productId",
                    "transactionId", "cause.position",
                ])
        }
        #expect(found == expected.sorted())
        let ends = found.filter { $0.hasPrefix(Self.ended.id) }
        #expect(ends.count == 3)
        #expect(!found.contains { $0.hasPrefix(Self.coming.id) })
    }

    @Test("subscription_facts has every fact of a chain so far, and no later one")
    func facts() async throws {
        let ledger = try await Self.shared.copy()
        let found = try await rows(
            "subscription_facts",
            [
                "original_transaction_id", "at_time", "fact", "product_id", "transaction_id",
                "cause",
            ], of: ledger)
        let answers = try await ledger.exportLines(.facts, at: Self.today)
        let expected = answers.map {
            line(
                $0,
                [
                    "originalTransactionId", "at", "fact", "productId", "transactionId",
                    "cause.position",
                ])
        }
        #expect(found == expected.sorted())
        #expect(found.contains { $0.contains(" renewed ") })
        // The ledger's clock, by which commands are dated, is later than today.
        #expect(!found.contains { $0.contains(" accountLinked ") || $0.hasPrefix(Self.coming.id) })
    }

    @Test("current_notices has the notices that hold now, and no earlier or later ones")
    func notices() async throws {
        let ledger = try await Self.shared.copy()
        let found = try await rows(
            "current_notices",
            ["original_transaction_id", "code", "since", "evidence", "message"], of: ledger)
        let answers = try await ledger.exportLines(.subscriptions, at: Self.today)
        let expected = answers.flatMap { answer -> [String] in
            let id = line(answer, ["originalTransactionId"])
            let notices = answer["notices"]?.array ?? []
            return notices.map { "\(id) \(line($0, ["code", "since", "evidence", "message"]))" }
        }
        #expect(found == expected.sorted())
        func chains(_ code: String) -> [String] {
            found.filter { $0.contains(" \(code) ") }.map { String($0.prefix { $0 != " " }) }
        }
        // That of `returned` ended when it was bought with renewal info.
        #expect(chains("missingRenewalInfo") == [Self.returning.id])
        // Auto-renew is on in others, too, whose period ends later.
        #expect(chains("renewalOverdue") == [Self.returned.id])
    }
}
