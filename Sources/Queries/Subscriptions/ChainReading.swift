public import AppStore
public import Ledger
public import LedgerStore
public import Projection
package import SQLiteStore

/// The time and knowledge of a query.
public struct Moment: Sendable {
    public var at: Timestamp
    /// The current time of the clock.
    public var now: Timestamp
    public var knowledge: AsOf

    /// - `at`: nil for now.
    public init(at: Timestamp?, now: Timestamp, knowledge: AsOf = .everything) {
        self.at = at ?? now
        self.now = now
        self.knowledge = knowledge
    }
}

/// Why a query has no answer.
public enum QueryError: Error, Sendable, Equatable {
    /// The id is unknown.
    case noSuchSubscription(String)
    /// The id is known, but not at that time; with a sentence that says why.
    case unknownThen(String, reason: String)
    /// The id is known but has no state; with a sentence that says why.
    case stateless(String, reason: String)
    /// The id is a random one of an erasure, under which commands are refused.
    case pseudonym(String)
    /// The id belongs to several apps, or to several chains.
    case ambiguousId(String, [ChainId])
    /// The range is empty or reversed; with a sentence that says why.
    case invalidRange(String)
    case store(StoreError)

    /// Stable; scripts rely on it.
    public var code: String {
        switch self {
        case .noSuchSubscription, .unknownThen, .stateless, .pseudonym: "noSuchSubscription"
        case .ambiguousId: "ambiguousId"
        case .invalidRange: "invalidRange"
        case .store(let error): error.code.rawValue
        }
    }

    /// What happened; commands and HTTP add what to do.
    public var message: String {
        switch self {
        case .noSuchSubscription(let id):
            "No subscription or purchase is known under \(id) at that time."
        case .unknownThen(let id, let reason):
            "Nothing is known under \(id) at that time. \(reason)"
        case .stateless(let id, let reason): "The data under \(id) has no state. \(reason)"
        case .pseudonym: Pseudonyms.refusal
        case .ambiguousId(let id, let chains):
            "\(id) belongs to several chains: "
                + chains.map { "\($0.originalTransactionId) of \($0.bundleId)" }
                .joined(separator: ", ") + "."
        case .invalidRange(let reason): reason
        case .store(let error): error.description
        }
    }
}

/// One chain, folded for a moment: the source of `show` and `timeline`.
public struct ChainReading: Sendable {
    public let chain: ChainId
    public let environment: Environment
    public let moment: Moment
    public let stamp: AnswerStamp
    public let life: Lifecycle
    public private(set) var answer: ChainAnswer
    /// The standing of the requested transaction; nil when a chain was requested.
    public private(set) var transaction: TransactionStanding?
    /// The facts used, by position; of several facts of one event the one that names what
    /// happened.
    package let facts: [Int64: Fact]
    private let admitted: [Fact]
    /// The catalogue's leeway, milliseconds.
    private let leewayMilliseconds: Int64

    package init?(
        chain: ChainId, facts: [Fact], shared: [SharedTransaction], moment: Moment, head: Int64,
        ledger: EnvironmentLedger
    ) {
        // Facts may be ahead of the answer's position.
        self.init(
            chain: chain, facts: facts.filter { $0.position <= head }, moment: moment,
            environment: ledger.environment, catalogue: ledger.catalogue,
            stamp: AnswerStamp(
                moment, of: chain.bundleId, position: moment.knowledge.position(head: head), ledger)
        )
        answer.notices += SharedTransactions.notices(
            shared, chain: chain, facts: admitted, from: life.intervals.first?.from)
    }

    /// Folds facts outside a ledger.
    package init?(
        chain: ChainId, facts: [Fact], moment: Moment, environment: Environment,
        catalogue: Catalogue, stamp: AnswerStamp
    ) {
        let admitted = facts.filter { moment.knowledge.admits($0) }
        let life = Lifecycle(admitted, environment: environment, catalogue: catalogue)
        guard let answer = life.answer(at: moment.at, now: moment.now) else { return nil }
        self.chain = chain
        self.environment = environment
        self.moment = moment
        self.stamp = stamp
        self.life = life
        self.answer = answer
        self.admitted = admitted
        leewayMilliseconds = catalogue.leewayMilliseconds
        self.facts = Dictionary(admitted.map { ($0.position, $0) }) { first, other in
            first.cause.notificationType == nil ? other : first
        }
    }
}

extension ChainReading {
    /// The leeway that gives access at the moment, whose state is then `expired`: its end, and the
    /// events of the overdue renewal.
    package var leeway: (until: Timestamp, evidence: [Int64])? {
        life.leeway(at: moment.at, leewayMilliseconds)
    }

    /// Whether the chain gives access to who holds it: by its state or by leeway.
    package var givesAccess: Bool { answer.isEntitled || leeway != nil }

    /// This reading for a query by the given id. A chain's id is also that of its first
    /// transaction; the transaction is meant where it was refunded.
    package func queried(by id: String) -> ChainReading {
        guard let standing = life.standing(of: TransactionId(id), at: moment.at) else {
            return self
        }
        let isTransaction = chain.originalTransactionId.rawValue != id
        guard isTransaction || standing.outcome.isRevoked else { return self }
        var reading = self
        reading.transaction = standing
        return reading
    }

    /// Why a chain with facts has no state at a moment, or none at all.
    package static func whyNothing(
        by id: String, _ facts: [Fact], _ moment: Moment, head: Int64, _ ledger: EnvironmentLedger
    ) -> QueryError? {
        let admitted = facts.filter { $0.position <= head && moment.knowledge.admits($0) }
        guard !admitted.isEmpty else {
            return facts.min { $0.position < $1.position }.map { first in
                .unknownThen(
                    id,
                    reason: "The first event about it, at position \(first.position), was received"
                        + " on \(first.receivedAt.rfc3339).")
            }
        }
        let life = ledger.life(of: admitted)
        guard let start = life.intervals.first?.from else {
            let position = admitted.map(\.position).min() ?? 0
            return .stateless(
                id,
                reason: whyStateless(admitted, ledger)
                    ?? "What is known of it, from position \(position) on, states no purchase.")
        }
        guard moment.at < start else { return nil }
        let missing = life.notices.first { $0.code == .historyMissingBefore }
        return .unknownThen(id, reason: missing?.message ?? "It begins on \(start.rfc3339).")
    }

    /// Why a chain never has a state, in a sentence that says what to do; nil if it has one, or if
    /// no reason is known.
    static func whyStateless(_ facts: [Fact], _ ledger: EnvironmentLedger) -> String? {
        // Unknown values have no effect, except that of a purchase's type.
        let facts = facts.map { fact in
            var fact = fact
            fact.unknownValues.removeAll { $0 != "transaction.type" }
            return fact
        }
        let life = ledger.life(of: facts)
        guard life.isEmpty else { return nil }
        return life.notices.first { [.unknownValue, .unreadable].contains($0.code) }?.message
    }

    /// Whether the id belongs to the chain under the moment's knowledge.
    package func isNamed(_ id: String) -> Bool {
        chain.originalTransactionId.rawValue == id
            || admitted.contains { $0.transaction?.transactionId.rawValue == id }
    }
}

/// Notices of one transactionId in two chains: the only notice that needs other chains.
enum SharedTransactions {
    static func notices(
        _ shared: [SharedTransaction], chain: ChainId, facts: [Fact], from: Timestamp?
    ) -> [Notice] {
        let here = shared.filter { $0.chain == chain }
        return here.compactMap { entry in
            let others = shared.filter {
                $0.transactionId == entry.transactionId && $0.chain != chain
                    && $0.chain.bundleId == chain.bundleId
            }
            guard !others.isEmpty, let from else { return nil }
            let positions =
                facts.filter { $0.transaction?.transactionId == entry.transactionId }
                .map(\.position).min().map { [$0] } ?? []
            return Notice(
                code: .contradiction,
                message: "Transaction \(entry.transactionId) also belongs to "
                    + others.map { "\($0.chain.originalTransactionId)" }.joined(separator: ", ")
                    + ".",
                from: from, to: nil,
                evidence: (positions + others.map(\.firstPosition)).sorted())
        }
    }
}

/// Answers queries about chains from the facts.
extension LedgerSnapshot {
    /// One chain by its originalTransactionId or any of its transactionIds.
    public func reading(
        _ id: String, bundleId: BundleId? = nil, moment: Moment
    ) async throws(QueryError) -> ChainReading {
        let lives = try await lives(id, bundleId)
        let readings: [ChainReading]
        do throws(StoreError) {
            readings = try await self.readings(lives, moment).filter { $0.isNamed(id) }
        } catch {
            throw .store(error)
        }
        guard readings.count <= 1 else { throw .ambiguousId(id, readings.map(\.chain)) }
        guard let reading = readings.first else {
            let why = lives.lazy.compactMap { _, facts in
                ChainReading.whyNothing(by: id, facts, moment, head: position, ledger)
            }.first
            throw why ?? .noSuchSubscription(id)
        }
        return reading.queried(by: id)
    }

    /// The given chains that have facts but never a state, and why.
    package func stateless(
        _ chains: [ChainId]
    ) async throws(StoreError) -> [(chain: ChainId, reason: String)] {
        guard !chains.isEmpty else { return [] }
        var found: [(chain: ChainId, reason: String)] = []
        for (chain, facts) in try await facts.facts(of: chains) {
            if let reason = ChainReading.whyStateless(facts, ledger) {
                found.append((chain, reason))
            }
        }
        return found
    }

    /// As `chain`, for a command: throws `pseudonym` for a random id of an erasure.
    public func chainForCommand(
        _ id: String, bundleId: BundleId? = nil
    ) async throws(QueryError) -> ChainId {
        let chain = try await chain(id, bundleId: bundleId)
        guard !chain.isPseudonym else { throw .pseudonym(id) }
        return chain
    }

    /// The chain with the given id, in any state.
    public func chain(
        _ id: String, bundleId: BundleId? = nil
    ) async throws(QueryError) -> ChainId {
        let found = try await lives(id, bundleId).map(\.0)
        guard found.count <= 1 else { throw .ambiguousId(id, found) }
        guard let chain = found.first else { throw .noSuchSubscription(id) }
        return chain
    }

    /// The given chains that existed at the moment, in the order given.
    package func readings(
        of chains: [ChainId], _ moment: Moment
    ) async throws(StoreError) -> [ChainReading] {
        try await readings(try await facts.facts(of: chains), moment)
    }

    private func readings(
        _ lives: [(ChainId, [Fact])], _ moment: Moment
    ) async throws(StoreError) -> [ChainReading] {
        let shared = try await shared(lives, moment)
        let (ledger, head) = (ledger, position)
        // A customer may have thousands of chains.
        let readings: [ChainReading?] = await Parallel.map(
            lives, on: ComputingExecutor.shared
        ) { chain, facts in
            let own = shared.isEmpty ? [] : LedgerSnapshot.transactions(of: facts).sorted()
            return ChainReading(
                chain: chain, facts: facts, shared: own.flatMap { shared[$0] ?? [] },
                moment: moment, head: head, ledger: ledger)
        }
        return readings.compactMap { $0 }
    }

    /// The facts of the chains with the given id, of this app if one is given: as
    /// originalTransactionId first, else as any transactionId. Facts stored under a customer's id
    /// are not a chain's.
    private func lives(
        _ id: String, _ bundleId: BundleId?
    ) async throws(QueryError) -> [(ChainId, [Fact])] {
        do throws(StoreError) {
            func isAsked(_ chain: ChainId) -> Bool {
                chain.customer == nil && (bundleId == nil || chain.bundleId == bundleId)
            }
            let found = try await facts.lives(of: [OriginalTransactionId(id)]).joined()
                .filter { isAsked($0.0) }
            guard found.isEmpty else { return found }
            let chains = try await projections.chains(transaction: TransactionId(id))
                .filter(isAsked)
            return chains.isEmpty ? [] : try await facts.facts(of: chains)
        } catch {
            throw .store(error)
        }
    }

    /// The transactions of these chains that belong to several chains, under the moment's
    /// knowledge; read at once.
    private func shared(
        _ lives: [(ChainId, [Fact])], _ moment: Moment
    ) async throws(StoreError) -> [TransactionId: [SharedTransaction]] {
        var ids: Set<TransactionId> = []
        for (_, facts) in lives { ids.formUnion(LedgerSnapshot.transactions(of: facts)) }
        let found = try await projections.sharedTransactions(
            among: ids.sorted(), through: moment.knowledge.position(head: position))
        return Dictionary(
            grouping: try await admitted(found, moment.knowledge), by: \.transactionId)
    }

    private static func transactions(of facts: [Fact]) -> Set<TransactionId> {
        Set(facts.compactMap { $0.transaction?.transactionId })
    }

    /// Omits entries not received by the requested time.
    package func admitted(
        _ shared: [SharedTransaction], _ knowledge: AsOf
    ) async throws(StoreError) -> [SharedTransaction] {
        guard let knownAt = knowledge.knownAt else { return shared }
        var known: [SharedTransaction] = []
        for entry in shared {
            let event = try await ledger.log.row(at: entry.firstPosition)
            if let event, event.receivedAt <= knownAt { known.append(entry) }
        }
        return known
    }
}
