import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Testing

@Suite("Customers in a ledger")
struct CustomerTests {
    private let place: TemporaryLedger
    private let token = "f3a86f0d-52be-4c53-8f0e-7d9b1c44d033"
    private let app = BundleId(MadeChain.app)

    init() throws { place = try TemporaryLedger() }

    private var chain: MadeChain {
        var chain = MadeChain()
        chain.appAccountToken = token.uppercased()
        return chain
    }

    private func intake(_ ledger: EnvironmentLedger, at now: Timestamp) -> CommandIntake {
        CommandIntake(ledger: ledger) { now }
    }

    @discardableResult
    private func run(
        _ action: Command.Action, _ chain: ChainId? = nil, at now: Timestamp,
        key: String? = nil, actor: String = "sara", reason: String = "a ticket"
    ) async throws -> CommandReceipt {
        try await place.decide(action, chain, at: now, key: key, actor: actor, reason: reason)
    }

    private func entitlements(
        _ customer: String, at: Timestamp, _ knowledge: AsOf = .everything
    ) async throws -> JSONValue {
        try await place.session { session in
            let answer = try await session.snapshot.entitlements(
                of: CustomerId(stated: customer), moment: place.moment(at, knowledge))
            return try TemporaryLedger.json { answer.write(to: &$0) }
        }
    }

    private func active(
        _ customer: String, at: Timestamp, _ knowledge: AsOf = .everything
    ) async throws -> [String] {
        let answer = try await entitlements(customer, at: at, knowledge)
        return (answer["entitlements"]?.array ?? []).filter { $0["active"]?.bool == true }
            .compactMap { $0["entitlement"]?.string }
    }

    private func day(_ number: Int64) -> Timestamp {
        chain.start.advanced(byMilliseconds: number * 86_400_000)
    }

    // MARK: Rejected

    @Test("An author whose name is the token's or the proxy user's is not called a token")
    func author() {
        #expect(Command.author("ann", nil) == "ann")
        #expect(Command.author("ann", "ann") == "ann (authenticated)")
        #expect(Command.author("ann", "desk") == "ann (token desk)")
    }

    @Test("Texts that are empty, too long or not printable write nothing")
    func words() async throws {
        let long = { (count: Int) in String(repeating: "x", count: count) }
        let cases: [(CommandError.Code, Command.Action, String, String, String?)] = [
            (.invalidActor, .note(CustomerId("a")), "", "why", nil),
            (.invalidActor, .note(CustomerId("a")), long(201), "why", nil),
            (.invalidReason, .note(CustomerId("a")), "sara", " ", nil),
            (.invalidReason, .note(CustomerId("a")), "sara", long(2_001), nil),
            (.invalidReason, .note(CustomerId("a")), "sara", "a\nb", nil),
            (.invalidCustomer, .note(CustomerId("")), "sara", "why", nil),
            (.invalidCustomer, .note(CustomerId(long(257))), "sara", "why", nil),
            (.invalidCustomer, .note(CustomerId("a\u{7F}")), "sara", "why", nil),
            (.invalidIdempotencyKey, .note(CustomerId("a")), "sara", "why", ""),
            (.invalidIdempotencyKey, .note(CustomerId("a")), "sara", "why", long(201)),
            (
                .invalidEntitlement,
                .grant(CustomerId("a"), entitlement: "", until: TemporaryLedger.end), "sara",
                "why", nil
            ),
        ]
        for (code, action, actor, reason, key) in cases {
            let failure = await #expect(throws: CommandError.self) {
                try await run(action, at: day(1), key: key, actor: actor, reason: reason)
            }
            #expect(failure?.code == code)
        }
        #expect(try await place.ledger { try await $0.log.head().position } == 0)
        // At their limits they are accepted.
        try await run(
            .note(CustomerId(long(256))), at: day(1), key: long(200), actor: long(200),
            reason: long(2_000))
    }

    @Test("A grant that ends now, an unknown grant and a missing link are rejected")
    func refused() async throws {
        _ = try await place.ingest([chain.bought()])
        let ann = CustomerId("ann")
        let cases: [(CommandError.Code, Command.Action, ChainId?)] = [
            (.invalidTime, .grant(ann, entitlement: "pro", until: day(1)), nil),
            (.noSuchGrant, .ungrant(ann, grant: "none"), nil),
            (.notLinked, .unlink(ann), chain.chainId),
            (.notLinked, .unlink(CustomerId(token)), chain.chainId),
        ]
        for (code, action, chain) in cases {
            let failure = await #expect(throws: CommandError.self) {
                try await run(action, chain, at: day(1))
            }
            #expect(failure?.code == code)
        }
        let until = day(1).advanced(byMilliseconds: 1)
        try await run(.grant(ann, entitlement: "pro", until: until), at: day(1))
    }

    @Test(
        "A repetition under one key is recognized; another command is rejected without effect"
    )
    func idempotency() async throws {
        _ = try await place.ingest([chain.bought()])
        let link = Command.Action.link(CustomerId("ann"))
        let first = try await run(link, chain.chainId, at: day(1), key: "k")
        let again = try await run(link, chain.chainId, at: day(2), key: "k")
        #expect(again.isRepeated && !first.isRepeated)
        #expect(again.position == first.position && again.receivedAt == first.receivedAt)
        for action in [Command.Action.link(CustomerId("bob")), .unlink(CustomerId("ann"))] {
            let failure = await #expect(throws: CommandError.self) {
                try await run(action, chain.chainId, at: day(3), key: "k")
            }
            #expect(failure?.code == .idempotencyKeyReused)
        }
        #expect(try await active("ann", at: day(5)) == ["pro"])
        // A repeated withdrawal is accepted.
        try await run(.unlink(CustomerId("ann")), chain.chainId, at: day(6), key: "u")
        let twice = try await run(.unlink(CustomerId("ann")), chain.chainId, at: day(7), key: "u")
        #expect(twice.isRepeated)
    }

    @Test("Keys of other bytes are other decisions, though Unicode has them as equivalent")
    func equivalentKeys() async throws {
        let ann = CustomerId("ann")
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        for (key, entitlement) in [(composed, "gold"), (decomposed, "pro")] {
            let grant = try await run(
                .grant(ann, entitlement: entitlement, until: day(90)), at: day(5), key: key)
            #expect(!grant.isRepeated)
        }
        #expect(try await active("ann", at: day(6)) == ["gold", "pro"])
        try await run(.ungrant(ann, grant: decomposed), at: day(7))
        #expect(try await active("ann", at: day(8)) == ["gold"])
        let failure = await #expect(throws: CommandError.self) {
            try await run(.ungrant(ann, grant: decomposed), at: day(9))
        }
        #expect(failure?.code == .noSuchGrant)
    }

    // MARK: Answers

    @Test("An unknown customer is new, with empty lists")
    func unknown() async throws {
        let answer = try await entitlements("nobody", at: day(1))
        #expect(answer["standing"]?.string == "new")
        for list in ["entitlements", "products", "groups"] {
            #expect(answer[list]?.array?.isEmpty == true)
        }
        #expect(answer["position"]?.int64 == 0)
    }

    @Test(
        "The token's customer is found in any spelling of the UUID, with every key of the contract")
    func token() async throws {
        _ = try await place.ingest(chain.life)
        let answer = try await entitlements(token.uppercased(), at: day(45))
        #expect(answer["customer"]?.string == token)
        #expect(
            answer.object?.map(\.key) == [
                "customer", "at", "knownAt", "position", "completeFrom", "completeThrough",
                "reducerVersion", "catalogueHash", "standing", "entitlements", "products", "groups",
            ])
        let verdict = try #require(answer["entitlements"]?.array?.first)
        #expect(
            verdict.object?.map(\.key) == [
                "entitlement", "active", "basis", "state", "productId", "since", "until",
                "originalTransactionId", "trust", "evidence",
            ])
        #expect(verdict["state"]?.string == "renewing")
        #expect(verdict["originalTransactionId"]?.string == chain.id)
        #expect(try await entitlements(token, at: day(70))["standing"]?.string == "inactive")
    }

    @Test("A link is known from its receipt on, and holds from the chain's start")
    func asOf() async throws {
        _ = try await place.ingest(chain.life)
        let linked = try await run(.link(CustomerId("ann")), chain.chainId, at: day(50))
        #expect(try await active("ann", at: day(5)) == ["pro"])
        #expect(try await active(token, at: day(5)).isEmpty)
        let before = AsOf.knownPosition(linked.position - 1)
        #expect(try await active("ann", at: day(5), before).isEmpty)
        #expect(try await active(token, at: day(5), before) == ["pro"])
        let earlier = AsOf.knownAt(linked.receivedAt.advanced(byMilliseconds: -1))
        #expect(try await active(token, at: day(5), earlier) == ["pro"])
        #expect(try await active("ann", at: day(5), .knownAt(linked.receivedAt)) == ["pro"])
    }

    @Test("A batch answers in the order of the request, each as it would alone")
    func batch() async throws {
        _ = try await place.ingest(chain.life)
        try await run(
            .grant(CustomerId("ann"), entitlement: "gold", until: TemporaryLedger.end),
            at: day(5))
        let ids = ["ann", token, "nobody", "ann"].map { CustomerId($0) }
        try await place.session { session in
            for moment in [place.moment(day(1)), place.moment(day(45))] {
                let answers = try await session.snapshot.entitlements(of: ids, moment: moment)
                #expect(answers.map(\.customer) == ids)
                for (id, answer) in zip(ids, answers) {
                    #expect(
                        try await session.snapshot.entitlements(of: id, moment: moment) == answer)
                }
            }
        }
    }

    @Test("Timelines and subscriptions of a customer cover the time in which they held each chain")
    func timeline() async throws {
        _ = try await place.ingest(chain.life)
        try await run(.link(CustomerId("ann")), chain.chainId, at: day(5))
        try await run(.link(CustomerId("bob")), chain.chainId, at: day(20))
        try await run(.note(CustomerId("ann")), at: day(21))
        try await place.session { session in
            let moment = place.moment(day(100))
            let ann = try await session.snapshot.reading(of: CustomerId("ann"), moment: moment)
            let story = try TemporaryLedger.json { ann.writeTimeline(to: &$0) }
            let facts = story["entries"]?.array?.compactMap { $0["fact"]?.string }
            #expect(facts == ["accountLinked", "accountLinked", "noted"])
            #expect(ann.held.isEmpty && ann.chains.count == 1)
            let bob = try await session.snapshot.reading(of: CustomerId("bob"), moment: moment)
            #expect(bob.held.map(\.chain) == [chain.chainId])
            let list = try TemporaryLedger.json { bob.writeSubscriptions(to: &$0, limit: 1) }
            #expect(list["subscriptions"]?.array?.count == 1)
            #expect(list["next"]?.isNull == true)
            let unknownCustomer = try await session.snapshot.reading(
                of: CustomerId("x"), moment: moment)
            #expect(unknownCustomer.page().entries.isEmpty && unknownCustomer.chains.isEmpty)
        }
    }

    @Test("A list of subscriptions is paged by chain")
    func pages() async throws {
        var other = chain
        other.id = "500000000000002"
        _ = try await place.ingest([chain.bought(), other.bought()])
        try await place.session { session in
            let reading = try await session.snapshot.reading(
                of: CustomerId(token), moment: place.moment(day(1)))
            let first = try TemporaryLedger.json { reading.writeSubscriptions(to: &$0, limit: 1) }
            let next = try #require(first["next"]?.string.flatMap { ChainId(cursor: $0) })
            let rest = try await session.snapshot.held(
                by: CustomerId(token), moment: place.moment(day(1)), after: next, limit: 1)
            let second = try TemporaryLedger.json { rest.writeSubscriptions(to: &$0, limit: 1) }
            let ids = [first, second].compactMap {
                $0["subscriptions"]?.array?.first?["originalTransactionId"]?.string
            }
            #expect(ids == [chain.id, other.id])
            #expect(second["next"]?.isNull == true)
        }
        #expect(ChainId(cursor: "nonsense") == nil)
    }

    // MARK: Uploads

    @Test(
        "A claim is answered in the same request, before any projection",
        arguments: ClaimPolicy.allCases)
    func claim(_ policy: ClaimPolicy) async throws {
        var unnamed = chain
        unnamed.appAccountToken = nil
        _ = try await place.ingest([unnamed.bought()])
        let moment = place.moment(day(6))
        try await place.session { session in
            let intake = intake(session.ledger, at: day(5))
            func claim(_ customer: String) async throws -> Holders.ClaimOutcome {
                let claimed = try await intake.claim(
                    unnamed.chainId, for: CustomerId(customer), policy: policy, actor: "app"
                ) { true }
                return try #require(claimed).outcome
            }
            #expect(try await claim("ann") == .moved)
            let head = try await session.ledger.log.head().position
            #expect(try await claim("ann") == .held)
            #expect(try await session.ledger.log.head().position == head)
            let answer = try await session.snapshot.entitlements(
                of: CustomerId("ann"), moment: moment, including: unnamed.chainId)
            #expect(answer.entitlements.standing == .active)
            #expect(answer.stamp.position == head)
            let expected: Holders.ClaimOutcome =
                switch policy {
                case .keep: .refused
                case .share: .added
                case .transfer: .moved
                }
            #expect(try await claim("eve") == expected)
        }
        #expect(try await active("ann", at: day(6)) == (policy == .transfer ? [] : ["pro"]))
        #expect(try await active("eve", at: day(6)) == (policy == .keep ? [] : ["pro"]))
    }

    @Test("A claim never takes a chain from its token's customer")
    func claimAgainstToken() async throws {
        _ = try await place.ingest([chain.bought()])
        try await place.ledger { ledger in
            let outcome = try await intake(ledger, at: day(5)).claim(
                chain.chainId, for: CustomerId("eve"), policy: .transfer, actor: "app"
            ) { true }
            #expect(outcome == CommandIntake.Claimed(outcome: .refused, position: nil))
            #expect(try await ledger.log.head().position == 1)
        }
    }

    // MARK: Durability

    @Test("Commands survive rebuilds, in bulk and from the log, and an audit")
    func survive() async throws {
        _ = try await place.ingest(chain.life)
        try await run(.link(CustomerId("ann")), chain.chainId, at: day(5))
        let grant = try await run(
            .grant(CustomerId("ann"), entitlement: "gold", until: day(90)), at: day(6))
        try await run(.ungrant(CustomerId("ann"), grant: grant.command.id), at: day(80))
        let moments = [day(1), day(45), day(70), day(85)]
        func all() async throws -> [JSONValue] {
            var found: [JSONValue] = []
            for customer in ["ann", token] {
                for moment in moments {
                    found.append(try await entitlements(customer, at: moment))
                }
            }
            return found
        }
        let expected = try await all()
        #expect(try await active("ann", at: day(70)) == ["gold"])
        #expect(try await active("ann", at: day(85)).isEmpty)
        for fromLog in [false, true] {
            try await place.session { session in
                try await session.projector?.rebuild(fromLog: fromLog)
            }
            #expect(try await all() == expected)
        }
        try await place.session { session in
            let check = RebuildCheck(try #require(session.projector))
            let report = try await check.run()
            #expect(report.count == 0 && report.fileFindings.isEmpty, "\(report.differences)")
        }
        let lines = try await place.exportLines(.events) { $0.withEvidence = true }
        #expect(lines.suffix(3).map { $0["kind"]?.string } == ["command", "command", "command"])
        #expect(
            lines.suffix(3).map { $0["trust"]?.string } == Array(repeating: "operator", count: 3))
        #expect(lines.last?["signedPayload"]?.string?.contains("ungrant") == true)
    }
}
