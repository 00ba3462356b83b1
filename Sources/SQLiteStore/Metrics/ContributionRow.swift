internal import AppStore
internal import Ledger

/// What one chain contributes to every roll-forward, in short: its changes of class. With the old
/// row at hand, a chain that changes touches only the sums it was in, and is in now.
struct ContributionRow: StoredRow {
    /// Of the chain's newest event, and when the latest of its events arrived: who asks what was
    /// known earlier may not use the row.
    let lastPosition: Int64
    let receivedAt: Int64
    /// Of the chain's first event, and when the earliest of its events arrived: who asks what was
    /// known before knows nothing of the chain.
    let firstPosition: Int64
    let firstReceivedAt: Int64
    /// When Apple signed the newest; whatever the chain contributes later is there by the clock
    /// alone. Nil when nothing is signed.
    let signedAt: Int64?
    /// Empty for a chain without a life.
    let body: [UInt8]

    static let table = "contributions"
    static let columns = [
        "last_position", "received_at", "first_position", "first_received_at", "signed_at", "body",
    ]

    func bind(_ statement: inout some ColumnSink) {
        statement.bind(2, lastPosition)
        statement.bind(3, receivedAt)
        statement.bind(4, firstPosition)
        statement.bind(5, firstReceivedAt)
        statement.bind(6, signedAt)
        statement.bind(7, body)
    }

    init(_ statement: BoundStatement) {
        lastPosition = statement.int64(0)
        receivedAt = statement.int64(1)
        firstPosition = statement.int64(2)
        firstReceivedAt = statement.int64(3)
        signedAt = statement.optionalInt64(4)
        body = statement.bytes(5)
    }

    /// - Parameter told: takes what the row says.
    init(
        _ chain: ChainId, _ life: Lifecycle, facts: [Fact], catalogue: Catalogue,
        numbers: ClassNumbers, told: inout ChainMovements
    ) {
        var (position, received, signed) = (Int64(0), Int64.min, Int64?.none)
        var (first, firstReceived) = (Int64.max, Int64.max)
        for fact in facts {
            position = max(position, fact.position)
            first = min(first, fact.position)
            received = max(received, fact.receivedAt.milliseconds)
            firstReceived = min(firstReceived, fact.receivedAt.milliseconds)
            guard let date = fact.signedDate?.milliseconds else { continue }
            signed = max(signed ?? date, date)
        }
        (lastPosition, receivedAt, signedAt) = (position, received, signed)
        (firstPosition, firstReceivedAt) = (first, firstReceived)
        guard !life.isEmpty else {
            body = []
            return
        }
        var writer = ContributionCodec.Writer()
        let metrics = ChainMetrics(life, of: chain.bundleId, catalogue: catalogue)
        told.reserveCapacity(metrics.stretches.count)
        for (at, movement) in metrics.classMovements {
            told.append(at: at.milliseconds, movement, numbers)
            let stored = told.movements[told.movements.count - 1]
            writer.append(at: stored.at, after: stored.after, label: stored.label)
        }
        body = writer.finish()
    }
}

/// A class of some movements, and how many of their sides are of it.
struct NumberedClass: Sendable {
    let number: Int64
    let counted: CountedClass
    var uses: Int64 = 0
}

/// One change of class of a chain as it is stored: the time in milliseconds, the classes by their
/// numbers (0: not entitled), the label by its code.
public struct StoredMovement: Hashable, Sendable {
    public var at: Int64
    public var before: Int64
    public var after: Int64
    public var label: Int64
}

/// What a contribution says, before it is packed.
struct ChainMovements: Sendable {
    private(set) var movements: [StoredMovement] = []
    /// Those that the movements name, each once.
    private(set) var classes: [NumberedClass] = []
    /// The place of the class that the chain is in.
    private var place: Int?

    mutating func reserveCapacity(_ count: Int) { movements.reserveCapacity(count) }

    mutating func append(
        at: Int64, _ movement: ClassMovement<CountedClass>, _ numbers: ClassNumbers
    ) {
        let before = use(place)
        place = movement.after.map { after in
            // Few chains are of more than three classes; comparing is quicker than numbering.
            if let known = classes.firstIndex(where: { $0.counted == after }) { return known }
            classes.append(NumberedClass(number: numbers.number(of: after), counted: after))
            return classes.count - 1
        }
        movements.append(
            StoredMovement(
                at: at, before: before, after: use(place), label: movement.label.code))
    }

    private mutating func use(_ place: Int?) -> Int64 {
        guard let place else { return ClassCodec.none }
        classes[place].uses += 1
        return classes[place].number
    }
}

/// A chain's changes of class as bytes: the classes it was in, then for each change the time since
/// the one before, the class after it and the label.
enum ContributionCodec {
    struct Writer {
        private var classes: [Int64] = []
        private var changes = FactWriter()
        private var count: UInt64 = 0
        private var last: Int64 = 0

        mutating func append(at: Int64, after: Int64, label: Int64) {
            changes.signed(at &- last)
            last = at
            changes.unsigned(UInt64(label))
            count += 1
            guard after != ClassCodec.none else { return changes.unsigned(0) }
            let place = classes.firstIndex(of: after) ?? classes.count
            if place == classes.count { classes.append(after) }
            changes.unsigned(UInt64(place) + 1)
        }

        func finish() -> [UInt8] {
            var bytes = FactWriter()
            bytes.unsigned(UInt64(classes.count))
            for number in classes { bytes.word(number) }
            bytes.unsigned(count)
            return bytes.bytes + changes.bytes
        }
    }

    /// Hands out the changes in order.
    ///
    /// Throws `FactReader.Damage` for bytes that no writer made.
    static func forEach(
        _ bytes: UnsafeRawBufferPointer, _ body: (StoredMovement) -> Void
    ) throws(FactReader.Damage) {
        guard !bytes.isEmpty else { return }
        var reader = FactReader(bytes)
        let classCount = try reader.unsigned()
        guard classCount <= UInt64(bytes.count) else { throw FactReader.Damage() }
        var classes: [Int64] = []
        classes.reserveCapacity(Int(classCount))
        for _ in 0..<classCount { classes.append(try reader.word()) }
        var (at, before) = (Int64(0), ClassCodec.none)
        for _ in 0..<(try reader.unsigned()) {
            at &+= try reader.signed()
            let label = try reader.unsigned()
            let place = try reader.unsigned()
            guard place <= classCount, label <= 64 else { throw FactReader.Damage() }
            let after = place == 0 ? ClassCodec.none : classes[Int(place) - 1]
            body(
                StoredMovement(at: at, before: before, after: after, label: Int64(label)))
            before = after
        }
        guard reader.isAtEnd else { throw FactReader.Damage() }
    }

    static func movements(_ body: [UInt8]) throws(FactReader.Damage) -> [StoredMovement] {
        var found: [StoredMovement] = []
        // Typed throws do not pass through withUnsafeBytes; the result carries the error out.
        let result = body.withUnsafeBytes { bytes in
            Result { () throws(FactReader.Damage) in try forEach(bytes) { found.append($0) } }
        }
        try result.get()
        return found
    }
}
