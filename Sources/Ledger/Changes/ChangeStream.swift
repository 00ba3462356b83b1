import AppStore

/// Every change of one chain in order: how its timeline grew as events arrived and time passed.
///
/// A timeline lists what is true so far, so an entry is emitted when it becomes due: immediately if
/// its event arrives on time or late, otherwise when the clock reaches it. Pure: the same facts,
/// readings, catalogue and reducer give the same changes, whenever they are computed.
public struct ChangeStream: Sendable {
    /// The requested changes, in order.
    public private(set) var changes: [Change] = []
    /// One for every change of the chain, requested or not.
    public private(set) var marks: [ChangeMark] = []
    /// The next moment at which the clock alone causes a change; nil if there is none.
    public private(set) var nextDue: Timestamp?

    /// Inputs of a stream that are not the chain's own.
    public struct Rules: Sendable {
        public var environment: Environment
        public var catalogue: Catalogue
        /// SHA-256, supplied by the caller because `Ledger` has no cryptography.
        public var hash: @Sendable ([UInt8]) -> Digest

        public init(
            environment: Environment, catalogue: Catalogue,
            hash: @escaping @Sendable ([UInt8]) -> Digest
        ) {
            self.environment = environment
            self.catalogue = catalogue
            self.hash = hash
        }
    }

    /// - `facts`: the chain's facts up to the requested position, in any order.
    /// - `readings`: the clock readings that concerned the chain.
    /// - `isWanted`: which changes to build in full; the others are only counted.
    /// - `isCancelled`: ends the walk; the stream is then incomplete.
    public init(
        _ chain: ChainId, facts: [Fact], readings: [ClockReading], rules: Rules,
        isWanted: (ChangePlace) -> Bool, isCancelled: () -> Bool = { false }
    ) {
        let facts = (chain.erased == nil ? ChangeStream.life(facts) : facts)
            .sorted { $0.position < $1.position }
        let readings = readings.sorted { ($0.position, $0.at) < ($1.position, $1.at) }
        var emitter = ChangeEmitter(chain: chain, rules: rules)
        var next = 0
        for index in facts.indices {
            guard !isCancelled() else { break }
            let fact = facts[index]
            // Changes of one event are emitted together, once all of its facts are known.
            if index + 1 < facts.endIndex, facts[index + 1].position == fact.position { continue }
            while next < readings.count, readings[next].position < fact.position {
                emitter.read(readings[next], isWanted)
                next += 1
            }
            emitter.pass(to: fact, isWanted)
            emitter.add(facts[...index], isWanted)
        }
        while next < readings.count {
            emitter.read(readings[next], isWanted)
            next += 1
        }
        changes = emitter.changes
        marks = emitter.marks
        nextDue = emitter.nextDue
    }

    /// Facts without erasures: an earlier one is no change of the life that began after it.
    private static func life(_ facts: [Fact]) -> [Fact] {
        facts.filter { $0.cause.kind != .erasure }
    }

    /// `nextDue` of the stream of a chain with these facts and readings. Takes one fold; a stream
    /// folds once per fact.
    ///
    /// May be in the past: an event emits what was due when it arrived, and anything due later is
    /// not emitted until a clock reading.
    public static func nextDue(
        _ facts: [Fact], readings: [ClockReading], rules: Rules
    ) -> Timestamp? {
        let facts = life(facts)
        let reported = facts.map(\.receivedAt) + readings.map(\.at)
        guard let clock = reported.max() else { return nil }
        let life = Lifecycle(facts, environment: rules.environment, catalogue: rules.catalogue)
        let leeway = rules.catalogue.leewayMilliseconds
        return life.timeline.lazy.map { life.due($0, leeway: leeway) }.filter { $0 > clock }.min()
    }

    /// The last change before this number that passes the filter; nil if there is none. A receiver
    /// compares it with the last change it has.
    public func mark(before sequence: Int64, where isIncluded: (ChangeName) -> Bool) -> ChangeMark?
    {
        marks[..<Int(max(0, min(sequence - 1, Int64(marks.count))))].last { isIncluded($0.name) }
    }
}
