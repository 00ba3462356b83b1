internal import AppStore
public import Ledger
internal import Signing
internal import Synchronization

/// What one chain contributes to every roll-forward: its changes of class. With the old row
/// available, an update touches only the sums that the chain leaves or enters.
struct ContributionRow: StoredRow {
    /// The position of the chain's newest event and the latest arrival of its events: a query as of
    /// an earlier state cannot use the row.
    let lastPosition: Int64
    let receivedAt: Int64
    /// The position of the chain's first event and the earliest arrival of its events: as of any
    /// earlier state, the chain is unknown.
    let firstPosition: Int64
    let firstReceivedAt: Int64
    /// When Apple signed the newest fact; all later contributions are due to the clock alone. Nil
    /// when nothing is signed.
    let signedAt: Int64?
    /// Empty for a chain without a life.
    let body: [UInt8]

    static let table = "contributions"
    static let columns = [
        "last_position", "received_at", "first_position", "first_received_at", "signed_at", "body",
    ]

    var values: [ColumnValue] {
        [
            .integer(lastPosition), .integer(receivedAt), .integer(firstPosition),
            .integer(firstReceivedAt), ColumnValue(signedAt), .bytes(body),
        ]
    }

    /// Reads, inserts and updates the row of a chain, whose number is the first parameter.
    static let select =
        "SELECT \(columns.joined(separator: ", ")) FROM contributions WHERE subscription = ?1"
    static let insert = """
        INSERT INTO contributions (subscription, \(columns.joined(separator: ", ")))
        VALUES (?1\(columns.map { _ in ", ?" }.joined()))
        """
    static let update = """
        UPDATE contributions SET (\(columns.joined(separator: ", ")))
            = (\(columns.indices.map { "?\($0 + 2)" }.joined(separator: ", ")))
        WHERE subscription = ?1
        """

    init(_ statement: PreparedStatement) {
        lastPosition = statement.int64(0)
        receivedAt = statement.int64(1)
        firstPosition = statement.int64(2)
        firstReceivedAt = statement.int64(3)
        signedAt = statement.optionalInt64(4)
        body = statement.bytes(5)
    }

    /// - Parameter reported: empty; receives the decoded contribution.
    init(
        _ chain: ChainId, _ life: Lifecycle, facts: [Fact], catalogue: Catalogue,
        numbers: ClassNumbers, reported: inout ChainMovements
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
        let metrics = ChainMetrics(life, of: chain.bundleId, catalogue: catalogue)
        reported.reserveCapacity(metrics.stretches.count)
        for (at, movement) in metrics.classMovements {
            reported.append(at: at.milliseconds, movement, numbers)
        }
        body = ContributionCodec.encode(reported.movements)
    }
}

/// A class referred to by movements.
struct NumberedClass: Sendable {
    let number: Int64
    let counted: CountedClass
}

/// A stored change of class of a chain: the time in milliseconds, the classes by number (0: not
/// entitled), the label by code.
public struct StoredMovement: Hashable, Sendable {
    public var at: Int64
    public var before: Int64
    public var after: Int64
    public var label: Int64
}

/// The contents of a contribution, before encoding.
struct ChainMovements: Sendable {
    private(set) var movements: [StoredMovement] = []
    /// The classes that the movements refer to, each once.
    private(set) var classes: [NumberedClass] = []
    /// The index of the chain's current class.
    private var place: Int?

    mutating func reserveCapacity(_ count: Int) { movements.reserveCapacity(count) }

    mutating func append(at: Int64, _ movement: ClassMovement, _ numbers: ClassNumbers) {
        let before = number(place)
        place = movement.after.map { after in
            // Few chains have more than three classes; comparing is faster than computing the
            // number.
            if let known = classes.firstIndex(where: { $0.counted == after }) { return known }
            classes.append(NumberedClass(number: numbers.number(of: after), counted: after))
            return classes.count - 1
        }
        movements.append(
            StoredMovement(
                at: at, before: before, after: number(place), label: movement.label.code))
    }

    private func number(_ place: Int?) -> Int64 {
        place.map { classes[$0].number } ?? ClassCodec.none
    }
}

/// Encodes a chain's changes of class: its classes, then for each change the time since the
/// previous one, the class after it and the label.
enum ContributionCodec {
    static func encode(_ movements: [StoredMovement]) -> [UInt8] {
        var (classes, last) = ([Int64](), Int64(0))
        var (changes, bytes) = (FactWriter(), FactWriter())
        for movement in movements {
            changes.signed(movement.at &- last)
            last = movement.at
            changes.unsigned(UInt64(movement.label))
            guard movement.after != ClassCodec.none else {
                changes.unsigned(0)
                continue
            }
            let place = classes.firstIndex(of: movement.after) ?? classes.count
            if place == classes.count { classes.append(movement.after) }
            changes.unsigned(UInt64(place) + 1)
        }
        bytes.unsigned(UInt64(classes.count))
        for number in classes { bytes.word(number) }
        bytes.unsigned(UInt64(movements.count))
        return bytes.bytes + changes.bytes
    }

    /// Passes the changes to `body` in order.
    ///
    /// Throws `FactReader.Damage` for bytes that no writer produced.
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
        try body.withBytes { (bytes) throws(FactReader.Damage) in
            try forEach(bytes) { found.append($0) }
        }
        return found
    }
}

/// Cached numbers of classes: the first eight bytes of the SHA-256 of a class's stored form. A
/// class has the same number in every file, independent of the order of events.
public final class ClassNumbers: Sendable {
    /// By stored form: classes whose texts are canonically equivalent are distinct.
    private let known = Mutex<[[UInt8]: Int64]>([:])
    private let limit: Int

    /// Classes cached; when the cache is full it is emptied.
    public static let rememberedCount = 50_000

    /// Creates an empty cache.
    public init(limit: Int = ClassNumbers.rememberedCount) { self.limit = limit }

    /// The number of cached classes.
    var count: Int { known.withLock { $0.count } }

    func number(of counted: CountedClass) -> Int64 {
        let bytes = ClassCodec.encode(counted)
        return known.withLock { known in
            if let number = known[bytes] { return number }
            if known.count >= limit { known.removeAll() }
            let number = ClassCodec.number(bytes)
            known[bytes] = number
            return number
        }
    }
}

/// The stored form of a class.
enum ClassCodec {
    /// Represents "not entitled": no class has this number.
    static let none: Int64 = 0

    static func number(of counted: CountedClass) -> Int64 { number(encode(counted)) }

    /// Two classes share a number once in 2⁶⁴ pairs, far beyond the size of any ledger.
    static func number(_ bytes: [UInt8]) -> Int64 {
        let number = Int64(bitPattern: SHA256.hash(bytes).words.0)
        return number == none ? 1 : number
    }

    /// Every attribute by which metrics distinguish classes, in a bytewise comparable form.
    static func encode(_ counted: CountedClass) -> [UInt8] {
        var writer = FactWriter()
        let values = counted.values
        writer.text(values.app.rawValue)
        writer.optionalText(values.product?.rawValue)
        writer.optionalText(values.group)
        writer.optionalText(values.storefront)
        writer.optionalText(values.currency)
        writer.optionalSigned(values.offer?.type?.rawValue)
        writer.optionalText(values.offer?.identifier)
        writer.optionalText(values.offer?.discountType?.rawValue)
        writer.text(values.phase.rawValue)
        writer.text(values.ownership.rawValue)
        writer.optionalSigned(counted.annualised)
        writer.unsigned(counted.isInferred ? 1 : 0)
        return writer.bytes
    }

    static func offer(type: Int64?, identifier: String?, discountType: String?) -> Offer? {
        guard type != nil || identifier != nil || discountType != nil else { return nil }
        return Offer(
            type: type.map { Raw(rawValue: $0) }, identifier: identifier,
            discountType: discountType.map { Raw(rawValue: $0) })
    }

    static func ownership(_ text: String) -> ChainAnswer.Ownership {
        let known: [ChainAnswer.Ownership] = [.purchased, .familyShared, .assigned]
        return known.first { $0.rawValue == text } ?? .other(text)
    }
}

extension MovementLabel {
    /// The stored code: 0 a change, 1… the gains, 16… the reasons, in the order of the contract.
    public var code: Int64 {
        switch self {
        case .change: 0
        case .entry(let gain): 1 + Int64(Gain.allCases.firstIndex(of: gain) ?? 0)
        case .end(let reason): 16 + Int64(EndReason.allCases.firstIndex(of: reason) ?? 0)
        }
    }

    private static let byCode: [Int64: MovementLabel] = Dictionary(
        uniqueKeysWithValues: MovementLabel.all.map { ($0.code, $0) })

    /// Nil for an unknown code.
    public init?(code: Int64) {
        guard let label = MovementLabel.byCode[code] else { return nil }
        self = label
    }
}
