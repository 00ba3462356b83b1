internal import AppStore
internal import Ledger

/// What one chain contributes to every roll-forward, in short: its changes of class. With the old
/// row at hand, a chain that changes touches only the sums it was in, and is in now.
struct ContributionRow: StoredRow {
    /// Of the chain's newest event, and when the latest of its events arrived: who asks what was
    /// known earlier may not use the row.
    let lastPosition: Int64
    let receivedAt: Int64
    /// When Apple signed the newest; whatever the chain contributes later is there by the clock
    /// alone. Nil when nothing is signed.
    let signedAt: Int64?
    /// Empty for a chain without a life.
    let body: [UInt8]

    static let table = "contributions"
    static let columns = ["last_position", "received_at", "signed_at", "body"]

    func bind(_ statement: inout some ColumnSink) {
        statement.bind(2, lastPosition)
        statement.bind(3, receivedAt)
        statement.bind(4, signedAt)
        statement.bind(5, body)
    }

    init(_ statement: BoundStatement) {
        lastPosition = statement.int64(0)
        receivedAt = statement.int64(1)
        signedAt = statement.optionalInt64(2)
        body = statement.bytes(3)
    }

    /// - Parameter classes: takes the classes that the row names.
    init(
        _ chain: ChainId, _ life: Lifecycle, facts: [Fact], catalogue: Catalogue,
        numbers: ClassNumbers, classes: inout [NumberedClass]
    ) {
        var (position, received, signed) = (Int64(0), Int64.min, Int64?.none)
        for fact in facts {
            position = max(position, fact.position)
            received = max(received, fact.receivedAt.milliseconds)
            guard let date = fact.signedDate?.milliseconds else { continue }
            signed = max(signed ?? date, date)
        }
        (lastPosition, receivedAt, signedAt) = (position, received, signed)
        guard !life.isEmpty else {
            body = []
            return
        }
        var writer = ContributionCodec.Writer()
        let metrics = ChainMetrics(life, of: chain.bundleId, catalogue: catalogue)
        for (at, movement) in metrics.classMovements {
            let after = movement.after.map { after in
                let number = numbers.number(of: after)
                classes.append(NumberedClass(number: number, counted: after))
                return number
            }
            writer.append(at: at.milliseconds, after: after, label: movement.label.code)
        }
        body = writer.finish()
    }
}

struct NumberedClass: Sendable {
    let number: Int64
    let counted: CountedClass
}

/// One change of class of a chain as it is stored; class 0: not entitled.
struct StoredMovement: Hashable, Sendable {
    var at: Int64
    var before: Int64
    var after: Int64
    var label: Int64
}

/// A chain's changes of class as bytes: the classes it was in, then for each change the time since
/// the one before, the class after it and the label.
enum ContributionCodec {
    struct Writer {
        private var classes: [Int64] = []
        private var changes = FactWriter()
        private var count: UInt64 = 0
        private var last: Int64 = 0

        mutating func append(at: Int64, after: Int64?, label: Int64) {
            changes.signed(at &- last)
            last = at
            changes.unsigned(UInt64(label))
            count += 1
            guard let after else { return changes.unsigned(0) }
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

extension FactWriter {
    /// Eight bytes.
    mutating func word(_ value: Int64) {
        for shift in stride(from: UInt64(0), through: 56, by: 8) {
            byte(UInt8(truncatingIfNeeded: UInt64(bitPattern: value) >> shift))
        }
    }
}

extension FactReader {
    mutating func word() throws(Damage) -> Int64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 56, by: 8) {
            value |= UInt64(try byte()) << shift
        }
        return Int64(bitPattern: value)
    }
}
