import AppStore
import Intake
import LedgerTestSupport
import Testing

@Suite("Decisions and searches with subledger")
struct DecisionCommandTests {
    private static let customer = "7389a31a-fb6d-4569-a2a6-db7d85d84813"
    private static let stated = customer.uppercased()
    private static let order = ["--by", "sara", "--reason", "a ticket", "--json"]

    private let ledger: TemporaryLedger
    private let chain = MadeChain()

    init() throws { ledger = try TemporaryLedger() }

    private func answer(_ arguments: [String]) async throws -> Outcome {
        try await Outcome.answered(arguments, over: ledger.configuration.dataDirectory)
    }

    /// The receipt of a decision that is accepted.
    private func decided(_ arguments: String...) async throws -> JSONValue {
        let outcome = try await answer(arguments + Self.order)
        #expect(outcome.code == 0, "\(outcome.err)")
        let receipt = try outcome.json()
        #expect(receipt["command"]?.string == arguments[0])
        #expect(receipt["actor"]?.string == "sara" && receipt["reason"]?.string == "a ticket")
        return receipt
    }

    /// The entries of a timeline, oldest first, which is the reverse of that with the newest first.
    private func entries(_ subject: String...) async throws -> [JSONValue] {
        let oldest = try await answer(["timeline"] + subject + ["--json"]).json()
        let newest = try await answer(["timeline"] + subject + ["--newest-first", "--json"]).json()
        let entries = try #require(oldest["entries"]?.array)
        let reversed = try #require(newest["entries"]?.array)
        #expect(entries.count > 1 && reversed == entries.reversed())
        return entries
    }

    @Test("A grant is given once, withdrawn once, and noted, by an id in lower case")
    func customers() async throws {
        // given
        let grant = ["grant", Self.stated, "gold", "--until", "2999-01-01"]
        // when
        let outcome = try await answer(grant + ["--idempotency-key", "k"] + Self.order)
        // then
        let granted = try outcome.json()
        #expect(outcome.code == 0 && granted["command"]?.string == "grant")
        #expect(granted["customer"]?.string == Self.customer)
        #expect(granted["entitlement"]?.string == "gold")
        #expect(granted["until"]?.string == "2999-01-01T00:00:00.000Z")
        #expect(granted["repeated"]?.bool == false)
        let id = try #require(granted["grantId"]?.string)
        let again = try await answer(grant + ["--idempotency-key", "k"] + Self.order).json()
        #expect(again["repeated"]?.bool == true && again["grantId"]?.string == id)
        #expect(again["position"] == granted["position"])
        let held = try await answer(["entitlements", Self.stated, "--json"]).json()
        let verdict = try #require(held["entitlements"]?.array?.first)
        #expect(held["customer"]?.string == Self.customer)
        #expect(verdict["entitlement"]?.string == "gold" && verdict["basis"]?.string == "grant")
        let text = try await answer(["entitlements", Self.stated]).out
        #expect(text.contains("gold            yes (grant)   granted, since "), "\(text)")
        // when
        let withdrawn = try await decided("ungrant", Self.stated, id)
        // then
        #expect(withdrawn["customer"]?.string == Self.customer)
        #expect(withdrawn["grantId"]?.string == id)
        let left = try await answer(["entitlements", Self.stated]).out
        #expect(left.contains("gold            no            granted, since "), "\(left)")
        let refused = try await answer(["ungrant", Self.stated, id] + Self.order)
        #expect(refused.code == 1 && refused.errorCode == "noSuchGrant", "\(refused.err)")
        // when
        let noted = try await decided("note", "--customer", Self.stated)
        // then
        #expect(noted["customer"]?.string == Self.customer)
        let facts = try await entries("--customer", Self.stated).map { $0["fact"]?.string }
        #expect(facts == ["granted", "grantWithdrawn", "noted"])
    }

    @Test("A subscription is linked, unlinked once, noted about, and found")
    func chains() async throws {
        // given
        _ = try await ledger.ingest(chain.life)
        // when
        let linked = try await decided("link", chain.id, Self.stated)
        let unlinked = try await decided("unlink", chain.id, Self.stated)
        let refused = try await answer(["unlink", chain.id, Self.stated] + Self.order)
        let noted = try await decided("note", chain.id)
        // then
        #expect(linked["customer"]?.string == Self.customer)
        #expect(unlinked["customer"]?.string == Self.customer)
        #expect(refused.code == 1 && refused.errorCode == "notLinked", "\(refused.err)")
        for receipt in [linked, unlinked, noted] {
            #expect(receipt["originalTransactionId"]?.string == chain.id)
            #expect(receipt["bundleId"]?.string == chain.bundleId)
        }
        let facts = try await entries(chain.id).compactMap { $0["fact"]?.string }
        #expect(facts.contains("accountLinked") && facts.last == "noted", "\(facts)")
        let found = try await answer(["find", chain.id, "--json"])
        let match = try found.json()["matches"]?.array?.first
        #expect(found.code == 0 && match?["kind"]?.string == "subscription")
        #expect(match?["id"]?.string == chain.id)
        let nothing = try await answer(["find", "nothing", "--json"])
        #expect(nothing.code == 1)
        #expect(try nothing.json()["matches"]?.array?.isEmpty == true)
    }
}
