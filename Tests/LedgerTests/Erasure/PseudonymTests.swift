import AppStore
import Testing

@testable import Ledger

@Suite("Pseudonyms of erased facts")
struct PseudonymTests {
    private static let chain = ChainId(
        bundleId: BundleId("com.example.app"),
        originalTransactionId: OriginalTransactionId("1000"))

    private static func draw(_ count: Int) -> [String] {
        // Descending: the order must come from the ids, not from the draw.
        (0..<count).map { index in
            let text = String((count - index) * 7_919 % 1_000)
            return String(repeating: "0", count: Pseudonyms.digitCount - text.utf8.count) + text
        }
    }

    private func fact(_ id: String, token: String? = nil, _ command: Command? = nil) -> Fact {
        var snapshot = TransactionSnapshot(
            transactionId: TransactionId(id), originalTransactionId: OriginalTransactionId("1000"))
        snapshot.webOrderLineItemId = WebOrderLineItemId("w\(id)")
        snapshot.appAccountToken = token
        return Fact(
            position: 1, receivedAt: Timestamp(milliseconds: 5), trust: .signed,
            cause: Cause(kind: .notification, notificationUUID: NotificationUUID("u-\(id)")),
            signedDate: Timestamp(milliseconds: 4), digest: Digest(words: (1, 2, 3, 4)),
            transaction: command == nil ? snapshot : nil, command: command)
    }

    /// The fact with a renewal info of this token.
    private static func renewed(_ fact: Fact, _ token: String) -> Fact {
        var fact = fact
        fact.renewal = RenewalSnapshot()
        fact.renewal?.appAccountToken = token
        return fact
    }

    private func replaced(_ facts: [Fact]) -> [ChainFact?] {
        let pseudonyms = Pseudonyms(facts.map { (Self.chain, $0) }, draw: Self.draw)
        return facts.map { pseudonyms.replace(Self.chain, $0, part: 0) }
    }

    @Test("Ids keep their order and their equality, and nothing of them is left")
    func order() throws {
        let facts = ["1003", "1000", "1010", "1002"].map { fact($0) }
        let after = try replaced(facts).map { try #require($0) }
        let ids = after.compactMap { $0.fact.transaction?.transactionId }
        let expected = facts.indices.sorted { facts[$0].id < facts[$1].id }
        #expect(ids.indices.sorted { ids[$0] < ids[$1] } == expected)
        // The first purchase has the id of the chain.
        #expect(ids[1].rawValue == after[0].chain.originalTransactionId.rawValue)
        #expect(Set(after.map(\.chain)).count == 1)
        #expect(
            after.allSatisfy { erased in
                erased.fact.cause.notificationUUID == nil
                    && erased.chain.bundleId == Self.chain.bundleId
            })
        let stated = after.flatMap { erased in
            [
                erased.fact.transaction?.transactionId.rawValue,
                erased.fact.transaction?.webOrderLineItemId?.rawValue,
                erased.chain.originalTransactionId.rawValue,
            ].compactMap(\.self)
        }
        #expect(stated.allSatisfy { $0.hasPrefix(Pseudonyms.prefix) })
    }

    @Test("Shorter ids stay before longer ones, as in the order of periods")
    func lengths() throws {
        let ids = try replaced([fact("1000000000001"), fact("999000000001")])
            .map { try #require($0?.fact.transaction?.transactionId) }
        #expect(ids[1] < ids[0])
    }

    @Test("Ids of other bytes get other random ids, though Unicode has them as equivalent")
    func equivalentIds() throws {
        let ids = try replaced(
            ["\u{E9}", "e\u{301}"].map { key in
                fact("1000", Command(id: key, actor: "a", reason: "r", action: .link(.init("c"))))
            }
        ).map { try #require($0?.fact.command?.id) }
        #expect(ids[0] != ids[1])
    }

    @Test("A token in capitals and the customer of a link stay the same customer")
    func customers() throws {
        let token = "0AB11111-2222-3333-4444-555555555555"
        let link = Command(
            id: "cmd-1", actor: "Jo", reason: "asked by jo@example.com",
            action: .link(CustomerId(token: token)))
        let after = try replaced([
            fact("1000", token: token), fact("1000", link), Self.renewed(fact("1000"), token),
        ]).map { try #require($0) }
        let stated = try #require(after[0].fact.transaction?.appAccountToken)
        let command = try #require(after[1].fact.command)
        #expect(command.customer == CustomerId(token: stated))
        #expect(after[2].fact.renewal?.appAccountToken == stated)
        #expect(command.actor == Pseudonyms.withheld && command.reason == Pseudonyms.withheld)
        #expect(command.id != "cmd-1")
    }

    @Test("A withdrawal names its grant; a note is left out")
    func commands() throws {
        let customer = CustomerId("c-1")
        let end = Timestamp(milliseconds: 9_000_000_000_000)
        let commands = [
            Command(
                id: "g", actor: "a", reason: "r",
                action: .grant(customer, entitlement: "pro", until: end)),
            Command(id: "u", actor: "a", reason: "r", action: .ungrant(customer, grant: "g")),
            Command(id: "n", actor: "a", reason: "my address", action: .note(customer)),
        ]
        let after = replaced(commands.map { fact("1000", $0) })
        #expect(after[2] == nil)
        guard case .ungrant(_, let grant) = after[1]?.fact.command?.action else {
            Issue.record("no withdrawal")
            return
        }
        #expect(grant == after[0]?.fact.command?.id)
    }

    @Test("The evidence of an erasure is read back, and only that")
    func evidence() throws {
        let facts = try replaced([fact("1000", token: "t"), Self.renewed(fact("1001"), "r")])
            .map { try #require($0) }
        let erasure = Erasure(
            id: "e-1", actor: "dpo", tokenName: "admin", reason: "art. 17", positions: [3, 8],
            chains: [
                ErasedChain(
                    bundleId: BundleId("com.example.app"), digest: Digest(words: (9, 8, 7, 6)))
            ],
            facts: facts)
        #expect(Erasure(evidence: erasure.evidence) == erasure)
        #expect(Erasure.positions(inEvidence: erasure.evidence) == [3, 8])
        for (from, to) in [
            ("subledger-erasure/1", "subledger-erasure/3"), ("[3,8]", "[8,3]"),
            ("[3,8]", "[3,3]"), ("[3,8]", "[0,3]"), ("[3,8]", "\"3\""),
        ] {
            let text = String(decoding: erasure.evidence, as: UTF8.self)
                .replacing(from, with: to)
            #expect(Erasure(evidence: Array(text.utf8)) == nil, "\(to)")
            #expect(Erasure.positions(inEvidence: Array(text.utf8)) == nil, "\(to)")
        }
    }

    @Test("Moved, its facts stand where the events stand; it states nothing else")
    func moved() throws {
        var late = fact("1001")
        late.position = 8
        let facts = try replaced([fact("1000"), late]).map { try #require($0) }
        let erasure = Erasure(
            id: "e", actor: "a", reason: "r", positions: [1, 8], chains: [], facts: facts)
        let moved = erasure.moved { $0 == 8 ? 6 : $0 }
        #expect(moved.positions == [1, 6] && moved.facts.map(\.fact.position) == [1, 6])
        #expect(moved.isPlausible && erasure.isPlausible)
        #expect(moved.isPlausible(at: 7) && !moved.isPlausible(at: 6))
        var foreign = erasure
        foreign.facts[0].chain = Self.chain
        #expect(!foreign.isPlausible && !foreign.isPlausible(at: 9))
        // Another life of the same part of an event would be counted in addition.
        var repeated = erasure
        repeated.facts[1].fact.position = 1
        #expect(!repeated.isPlausible && !repeated.isPlausible(at: 9))
        repeated.facts[1].part = 1
        #expect(repeated.isPlausible)
        foreign = erasure
        foreign.positions = [1]
        #expect(!foreign.isPlausible)
    }

    /// Changes of one id of a fact whose chain has a random id.
    private static let realIds: [@Sendable (inout Fact) -> Void] = [
        { $0.transaction?.transactionId = TransactionId("2001") },
        { $0.transaction?.originalTransactionId = OriginalTransactionId("2001") },
        { $0.transaction?.webOrderLineItemId = WebOrderLineItemId("w2001") },
        { $0.transaction?.appAccountToken = "aaaaaaaa-2222-4333-8444-555555555555" },
        { $0.transaction?.appAccountToken = "erased-bob" },
        { $0 = renewed($0, "aaaaaaaa-2222-4333-8444-555555555555") },
        { $0.transaction?.transactionId = TransactionId(Pseudonyms.prefix + "0") },
        { $0.command = link(to: "bob", id: random) },
        { $0.command = link(to: random, id: "cmd-1") },
        {
            $0.command = Command(
                id: random, actor: "a", reason: "r",
                action: .ungrant(CustomerId(random), grant: "g"))
        },
    ]

    private static let random =
        Pseudonyms.prefix + String(repeating: "0a", count: Pseudonyms.digitCount / 2)

    private static func link(to customer: String, id: String) -> Command {
        Command(id: id, actor: "a", reason: "r", action: .link(CustomerId(customer)))
    }

    @Test("An erasure with any id that is not random is implausible")
    func foreignIds() throws {
        var facts = try replaced([fact("1000", token: "t")]).map { try #require($0) }
        facts[0].fact.command = Self.link(to: Self.random, id: Self.random)
        // Of no purchase: "0" stays.
        facts[0].fact.transaction?.webOrderLineItemId = WebOrderLineItemId("0")
        let genuine = Erasure(
            id: "e", actor: "a", reason: "r", positions: [1], chains: [], facts: facts)
        #expect(genuine.isPlausible)
        for (index, change) in Self.realIds.enumerated() {
            var erasure = genuine
            change(&erasure.facts[0].fact)
            #expect(!erasure.isPlausible, "change \(index)")
        }
    }

    @Test("An erased chain is recognised by its key among the facts, and nothing else is")
    func homes() {
        let erased = ErasedChain(
            bundleId: BundleId("com.example.a:b"), digest: Digest(words: (1, 2, 3, 4)))
        #expect(ChainId(erased: erased).erased == erased)
        #expect(Self.chain.erased == nil)
        #expect(ChainId(customer: CustomerId("\u{1}erased:x:com")).erased == nil)
        #expect(ChainId(customer: CustomerId("erased")).erased == nil)
    }
}

extension Fact {
    fileprivate var id: TransactionId { transaction?.transactionId ?? TransactionId("") }
}
