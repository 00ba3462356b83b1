import AppStore
import Faults
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Simulator
import TestSupport
import Testing

@Suite("Erasure of a person, interrupted, overtaken or too large")
struct ErasureStepTests {
    private static let chain = MadeChain()
    private static let other = MadeChain(id: "540000000000001")
    private var chain: MadeChain { ErasureStepTests.chain }
    private var other: MadeChain { ErasureStepTests.other }

    /// Eight events of two chains, and a quarantined input about the first.
    private static let filled = SharedLedger { ledger in
        _ = try await ledger.ingest(zip(chain.life, other.life).flatMap { [$0, $1] })
        var mine = chain
        mine.bundleId = "com.example.unknown"
        let summary = try await ledger.ingest([mine.bought()])
        try #require(summary.quarantined == 1)
    }

    private func filled() async throws -> TemporaryLedger {
        try await ErasureStepTests.filled.copy()
    }

    private var ids: [String] {
        [chain.id] + (0...2).flatMap { [chain.transactionId($0), "6\(chain.transactionId($0))"] }
    }

    @Test(
        "Stopped after any call of the stores: undone or done, and the same order finishes it",
        arguments: 0...PersonErasure.Step.allCases.count)
    func stopped(after calls: Int) async throws {
        let ledger = try await filled()
        let before = try await ledger.show(chain.id)
        let (_, steps) = try await ledger.beginErasure(of: [chain.id], through: calls)
        let isErased = steps.contains(.log)
        if isErased {
            await #expect(throws: QueryError.self) { try await ledger.show(chain.id) }
        } else {
            #expect(try await ledger.show(chain.id) == before)
        }
        #expect(try await ledger.isSound())
        let receipt = try await ledger.erase(chains: [chain.id])
        #expect(receipt.position == 9)
        #expect((receipt.plan == nil) == isErased)
        #expect(try ledger.files(holding: ids).isEmpty)
        #expect(try await ledger.isSound())
        #expect(try await ledger.exportLines(.subscriptions).count == 2)
        let count = try await ledger.ledger { try await $0.operations.quarantineCount() }
        #expect(count == 0)
    }

    @Test("The same key finishes an erasure after the subscription renewed; the renewal stays")
    func renewed() async throws {
        // given
        let ledger = try await filled()
        let order = CommandIntake.Order(actor: "a", reason: "r", key: "k")
        try await ledger.session { session in
            let erasure = PersonErasure(session, now: ledger.now)
            let plan = try await erasure.plan(chains: [ledger.chain(chain.id)], customer: nil)
            try await erasure.carryOut(plan, order, steps: [.operations, .quarantine, .log])
        }
        _ = try await ledger.ingest([chain.notification(.didRenew, nil, 4, at: chain.start(4))])
        // when
        let receipt = try await ledger.erase(chains: [chain.id], order)
        // then
        #expect(receipt.position == 9 && receipt.plan == nil)
        #expect(receipt.text.contains("Events that arrived since stay"))
        let show = try await ledger.show(chain.id)
        #expect(show.noticeCodes.contains("erasedBefore"))
        #expect(try ledger.files(holding: [chain.transactionId(1)]).isEmpty)
        let another = try await ledger.erase(chains: [chain.id])
        #expect(another.plan?.positions == [10])
    }

    @Test("In a cancelled task the search for events ends at its next page; nothing is removed")
    func cancelled() async throws {
        let ledger = try await filled()
        try await ledger.ledger { opened in
            // A second page.
            for start in [0, LogLimits.pageEventCount / 2] {
                let events = try (0..<LogLimits.pageEventCount / 2).map {
                    try Sample.command("c\(start + $0)", [])
                }
                _ = try await opened.log.append(events)
            }
        }
        try await ledger.session { session in
            let erasure = PersonErasure(session, now: ledger.now)
            let chains = [ledger.chain(chain.id)]
            let search = Task {
                try await erasure.run(chains: chains, customer: nil, TemporaryLedger.erasing) {
                    done, _ in
                    #expect(done == Int64(LogLimits.pageEventCount))
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            let error = await #expect(throws: StoreError.self) { _ = try await search.value }
            #expect(error?.code == .closed)
            let count = try await session.ledger.operations.quarantineCount()
            #expect(count == 1)
        }
    }

    // MARK: What arrives meanwhile

    /// Plans an erasure of the chain and a customer, passes it on, and lets the log be checked.
    private func planned(
        _ body: (TemporaryLedger, LedgerSession, PersonErasure, ErasurePlan) async throws -> Void
    ) async throws {
        let ledger = try StoredReceipts.place()
        _ = try await ledger.ingest(zip(chain.life, other.life).flatMap { [$0, $1] })
        try await ledger.session { session in
            let erasure = PersonErasure(session, now: ledger.now)
            let plan = try await erasure.plan(
                chains: [ledger.chain(chain.id)], customer: CustomerId("c-1"))
            #expect(plan.positions == [1, 3, 5, 7])
            try await body(ledger, session, erasure, plan)
        }
        await #expect(throws: QueryError.self) { try await ledger.show(chain.id) }
        #expect(try await ledger.exportLines(.subscriptions).count == 2)
        #expect(try await ledger.isSound())
    }

    private func receive(
        _ receipt: [UInt8], _ ledger: TemporaryLedger, _ session: LedgerSession
    ) async throws {
        let ingest = Ingest(
            ledger: session.ledger, apps: ledger.configuration.apps, verifier: ledger.verifier
        ) { ledger.now }
        let summary = try await ingest.run(lines: [receipt], input: "late")
        #expect(summary.appended == 1)
    }

    private func note(
        _ customer: String, _ ledger: TemporaryLedger, _ session: LedgerSession
    ) async throws {
        _ = try await CommandIntake(ledger: session.ledger) { ledger.now }.run(
            .note(CustomerId(customer)), about: nil, .init(actor: "sara", reason: "called"))
    }

    @Test("In a cancelled task the look at what arrived since ends; nothing is erased")
    func cancelledLook() async throws {
        try await planned { ledger, session, erasure, plan in
            try await note("c-9", ledger, session)
            let look = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await erasure.carryOut(plan, TemporaryLedger.erasing, steps: [.log])
            }
            let error = await #expect(throws: StoreError.self) { _ = try await look.value }
            #expect(error?.code == .closed)
            #expect(try await erasure.carryOut(plan, TemporaryLedger.erasing) == 10)
        }
    }

    @Test("Events about others that arrive between search and erasure do not stop it")
    func aboutOthers() async throws {
        try await planned { ledger, session, erasure, plan in
            try await note("c-9", ledger, session)
            try await receive(
                other.verifyReceipt(through: 2, at: other.start(2)), ledger, session)
            try await note("c-9", ledger, session)
            #expect(try await erasure.carryOut(plan, TemporaryLedger.erasing) == 12)
        }
    }

    @Test("Events about the person that arrive then stop it; a second search finds them")
    func aboutPerson() async throws {
        for isReceipt in [true, false] {
            try await planned { ledger, session, erasure, plan in
                try await note("c-9", ledger, session)
                if isReceipt {
                    try await receive(
                        chain.verifyReceipt(through: 2, at: chain.start(2)), ledger, session)
                } else {
                    try await note("c-1", ledger, session)
                }
                let error = await #expect(throws: StoreError.self) {
                    try await erasure.carryOut(plan, TemporaryLedger.erasing)
                }
                #expect(error?.code == .erasureOvertaken)
                #expect(try await session.ledger.log.head().position == 10)
                let receipt = try await erasure.run(
                    chains: plan.chains, customer: plan.customer, TemporaryLedger.erasing)
                #expect(receipt.plan?.positions == [1, 3, 5, 7, 10] && receipt.position == 11)
            }
        }
    }

    /// An order about the chain and a customer; while it searches, notes about the customer arrive
    /// until the log has so many events more.
    private func order(
        _ ledger: TemporaryLedger, _ session: LedgerSession, noted count: Int64
    ) async throws -> PersonErasure.Receipt {
        let end = session.head + count
        let erasure = PersonErasure(
            session, now: ledger.now,
            arrival: {
                guard try await session.ledger.log.head().position < end else { return }
                try await note("c-1", ledger, session)
            })
        return try await erasure.run(
            chains: [ledger.chain(chain.id)], customer: CustomerId("c-1"), TemporaryLedger.erasing)
    }

    @Test("After events about the person in 19 searches, the twentieth finds them all and erases")
    func lastSearch() async throws {
        // given
        let ledger = try await filled()
        let expected: [Int64] = [1, 3, 5, 7] + Array(9...27)
        // when
        let receipt = try await ledger.session { try await order(ledger, $0, noted: 19) }
        // then
        #expect(receipt.plan?.positions == expected && receipt.position == 28)
        await #expect(throws: QueryError.self) { try await ledger.show(chain.id) }
    }

    @Test("After such events in 20 searches it gives up: the log stays, operational state is gone")
    func givesUp() async throws {
        // given
        let ledger = try await filled()
        let before = try await ledger.show(chain.id)
        try await ledger.session { session in
            // when
            let error = await #expect(throws: StoreError.self) {
                try await order(ledger, session, noted: 20)
            }
            // then
            #expect(error?.code == .erasureOvertaken)
            let head = try await session.ledger.log.head().position
            #expect(head == 28)
            let count = try await session.ledger.operations.quarantineCount()
            #expect(count == 0)
        }
        let after = try await ledger.show(chain.id)
        #expect(after.without("position") == before.without("position"))
        // Ordered again, it is carried out.
        let expected: [Int64] = [1, 3, 5, 7] + Array(9...28)
        let receipt = try await ledger.erase(chains: [chain.id], customer: "c-1")
        #expect(receipt.plan?.positions == expected && receipt.position == 29)
    }

    @Test("A person whom another process erases meanwhile is erased once")
    func erasedElsewhere() async throws {
        try await planned { _, session, erasure, plan in
            #expect(try await erasure.carryOut(plan, TemporaryLedger.erasing) == 9)
            let error = await #expect(throws: StoreError.self) {
                try await erasure.carryOut(plan, TemporaryLedger.erasing)
            }
            #expect(error?.code == .erasureOvertaken)
            #expect(try await session.ledger.log.head().position == 9)
            let receipt = try await erasure.run(
                chains: plan.chains, customer: plan.customer, TemporaryLedger.erasing)
            #expect(receipt.plan == nil && receipt.position == 9)
        }
    }

    @Test("Of two persons' orders under one key at once, one is carried out, the other refused")
    func oneKey() async throws {
        // given
        let ledger = try await filled()
        let order = CommandIntake.Order(actor: "a", reason: "r", key: "k")
        let (chains, others) = ([ledger.chain(chain.id)], [ledger.chain(other.id)])
        try await ledger.session { session in
            let first = PersonErasure(session, now: ledger.now)
            let plan = try await first.plan(chains: chains, customer: nil)
            let isFirst = Flag()
            let second = PersonErasure(session, now: ledger.now) {
                guard !isFirst.isSet else { return }
                isFirst.set()
                _ = try await first.run(chains: others, customer: nil, order)
            }
            // when
            let refusal = await #expect(throws: CommandError.self) {
                try await second.run(chains: chains, customer: nil, order)
            }
            let stopped = await #expect(throws: StoreError.self) {
                try await first.carryOut(plan, order)
            }
            // then
            #expect(refusal?.code == .idempotencyKeyReused)
            #expect(stopped?.code == .erasureOvertaken)
            let head = try await session.ledger.log.head().position
            #expect(head == 9)
        }
        let show = try await ledger.show(chain.id)
        #expect(show["state"]?.string != nil)
        await #expect(throws: QueryError.self) { try await ledger.show(other.id) }
        let isSound = try await ledger.isSound()
        #expect(isSound)
    }

    // MARK: Decisions that lost their key

    private static let customer = CustomerId("ann-7f3a86f0")

    /// A ledger with two links of the other chain under one key, as two processes append them at
    /// once: the second one, at position 10, is a conflict and has no effect.
    private func conflicted() async throws -> TemporaryLedger {
        let ledger = try await filled()
        let about = ledger.chain(other.id)
        try await ledger.decide(.link(CustomerId("c-2")), about, key: "k")
        let command = Command(
            id: "k", actor: "jo@example.com", reason: "called",
            action: .link(ErasureStepTests.customer))
        try await ledger.ledger { opened in
            let evidence = Evidence.verbatim(command.evidence(about: about))
            let event = NewEvent(
                key: EventKey.make(.command, ["k"]),
                attributes: EventAttributes(
                    kind: .command, source: .operator, trust: .operator, bundleId: about.bundleId,
                    chain: about.originalTransactionId),
                receivedAt: ledger.now, evidence: try opened.log.packer.pack(evidence))
            let results = try await opened.log.append([event])
            #expect(results == [.conflict(position: 10)])
        }
        return ledger
    }

    @Test("A decision that lost its key to another one at once is erased with its customer")
    func conflict() async throws {
        // given
        let ledger = try await conflicted()
        let names = [ErasureStepTests.customer.rawValue, "jo@example.com"]
        #expect(try ledger.files(holding: names).contains("log.sqlite"))
        // when
        let receipt = try await ledger.erase(customer: ErasureStepTests.customer.rawValue)
        // then
        #expect(receipt.plan?.positions == [10])
        #expect(try ledger.files(holding: names).isEmpty)
        let show = try await ledger.show(other.id)
        #expect(show["state"]?.string != nil)
        let isSound = try await ledger.isSound()
        #expect(isSound)
    }

    @Test("Where such a decision cannot be read, nothing is known about it, and the search fails")
    func unread() async throws {
        let ledger = try await conflicted()
        try await ledger.session { session in
            let erasure = PersonErasure(session, now: ledger.now)
            try LogTampering(path: "\(ledger.environmentDirectory)/log.sqlite")
                .run("ALTER TABLE evidence RENAME COLUMN form TO gone")
            await #expect(throws: StoreError.self) {
                try await erasure.plan(chains: [], customer: ErasureStepTests.customer)
            }
        }
    }

    // MARK: Bounds

    /// Erases with a bound; returns the size of the erasure.
    private func erase(_ ledger: TemporaryLedger, upTo bound: Int) async throws -> Int {
        try await ledger.session { session in
            var erasure = PersonErasure(session, now: ledger.now)
            erasure.maximumByteCount = bound
            let receipt = try await erasure.run(
                chains: [ledger.chain(chain.id)], customer: nil, TemporaryLedger.erasing)
            let event = try #require(try await session.ledger.log.event(at: receipt.position))
            return try #require(try event.originalBytes()).count
        }
    }

    @Test("What fits into one event exactly is erased; one byte more, and nothing is changed")
    func tooLarge() async throws {
        // Random ids have one length, so that every run makes an erasure of the same size.
        let size = try await erase(try await filled(), upTo: LogLimits.evidenceByteCount)
        #expect(try await erase(try await filled(), upTo: size) == size)
        let ledger = try await filled()
        let before = try await ledger.show(chain.id)
        let error = await #expect(throws: ErasureError.self) {
            _ = try await erase(ledger, upTo: size - 1)
        }
        #expect(error?.code == .erasureTooLarge)
        #expect(try await ledger.show(chain.id) == before)
        let count = try await ledger.ledger { try await $0.operations.quarantineCount() }
        #expect(count == 1)
        // The command's bound is what one event of the log takes.
        let usual = try await ledger.session {
            PersonErasure($0, now: ledger.now).maximumByteCount
        }
        #expect(usual == LogLimits.evidenceByteCount)
    }
}
