import AppStore
import Testing

@testable import Ledger

/// Entries of an erasure's facts that refer to earlier ones (`Erasure.md`).
@Suite("Facts of an erasure that repeat a transaction")
struct RepeatedFactTests {
    /// The form of a random id.
    private static func id(_ number: Int) -> String {
        let digits = String(number)
        return Pseudonyms.prefix
            + String(repeating: "0", count: Pseudonyms.digitCount - digits.count) + digits
    }

    private static let chain = ChainId(
        bundleId: BundleId("com.example.app"),
        originalTransactionId: OriginalTransactionId(id(0)))

    private static let other = ChainId(
        bundleId: BundleId("com.example.other"),
        originalTransactionId: chain.originalTransactionId)

    private static func fact(_ position: Int64, _ part: UInt16, _ transaction: Int) -> ChainFact {
        var snapshot = TransactionSnapshot(
            transactionId: TransactionId(id(transaction)),
            originalTransactionId: chain.originalTransactionId)
        snapshot.productId = ProductId("com.example.pro.weekly")
        snapshot.purchaseDate = Timestamp(milliseconds: Int64(transaction) * 604_800_000)
        snapshot.isTrialPeriod = transaction == 0
        let fact = Fact(
            position: position, receivedAt: Timestamp(milliseconds: position), trust: .secret,
            cause: Cause(kind: .notificationV1),
            signedDate: Timestamp(milliseconds: position),
            digest: Digest(words: (UInt64(position), UInt64(part), 1, 2)), transaction: snapshot)
        return ChainFact(chain: chain, fact: fact, part: part)
    }

    private static func erasure(_ facts: [ChainFact]) -> Erasure {
        Erasure(
            id: "e", actor: "dpo", reason: "asked",
            positions: Set(facts.map(\.fact.position)).sorted(), chains: [], facts: facts)
    }

    /// Events that state the same transactions.
    private static func restated(events: Int64, parts: UInt16) -> [ChainFact] {
        (1...events).flatMap { position in
            (0..<parts).map { fact(position, $0, Int($0)) }
        }
    }

    private static func text(_ erasure: Erasure) -> String {
        String(decoding: erasure.evidence, as: UTF8.self)
    }

    private static func read(_ text: String) -> Erasure? { Erasure(evidence: Array(text.utf8)) }

    @Test("A repeated transaction is stated once, and everything is read back")
    func repeated() throws {
        let facts = Self.restated(events: 40, parts: 50)
        let erasure = Self.erasure(facts)
        let evidence = erasure.evidence
        #expect(Erasure(evidence: evidence) == erasure)
        #expect(Erasure.positions(inEvidence: evidence) == erasure.positions)
        #expect(Self.text(erasure).hasPrefix(#"{"erasure":"subledger-erasure/2","#))
        let whole = facts.map { Self.erasure([$0]).evidence.count }.reduce(0, +)
        #expect(evidence.count * 4 < whole, "\(evidence.count) of \(whole)")
        #expect(erasure.moved { $0 + 1 }.moved { $0 - 1 }.evidence == evidence)
    }

    @Test("Without a fact that follows from others the evidence is that of the first format")
    func whole() {
        func changed(_ change: (inout ChainFact) -> Void) -> [ChainFact] {
            var facts = Self.restated(events: 2, parts: 2)
            change(&facts[3])
            return facts
        }
        let cases: [[ChainFact]] = [
            [], Self.restated(events: 1, parts: 3), Self.restated(events: 3, parts: 1),
            changed { $0.part = 2 }, changed { $0.fact.cause = Cause(kind: .verifyReceipt) },
            changed { $0.fact.unknownValues = ["x"] }, changed { $0.fact.transaction = nil },
            changed { $0.fact.renewal = RenewalSnapshot() },
            changed { $0.fact.transaction?.isTrialPeriod = true },
            changed { $0.chain = Self.other },
        ]
        for (index, facts) in cases.enumerated() {
            let erasure = Self.erasure(facts)
            let text = Self.text(erasure)
            #expect(text.hasPrefix(#"{"erasure":"subledger-erasure/1","#), "case \(index)")
            #expect(!text.contains(#""as":"#), "case \(index)")
            #expect(Self.read(text) == erasure, "case \(index)")
        }
    }

    @Test("A reference is read in the second format alone, and only to an earlier entry")
    func refused() {
        let text = Self.text(Self.erasure(Self.restated(events: 2, parts: 3)))
        #expect(Self.read(text) != nil)
        let reference = #"{"as":1,"#
        #expect(text.contains(reference))
        let digest = Self.fact(2, 1, 1).fact.digest.hexadecimal
        for (from, to) in [
            ("erasure/2", "erasure/1"), ("erasure/2", "erasure/3"), (reference, #"{"as":4,"#),
            (reference, #"{"as":5,"#), (reference, #"{"as":-1,"#), (reference, #"{"as":"1","#),
            (reference, #"{"as":null,"#), (reference, #"{"as":9223372036854775807,"#),
            (digest, "00"), (#""digest":"\#(digest)""#, #""digests":"""#),
            (#""facts":["#, #""facts":[{"as":0,"digest":"\#(digest)"},"#),
        ] {
            let changed = text.replacing(from, with: to)
            #expect(changed != text && Self.read(changed) == nil, "\(to)")
        }
        // An entry may refer to one that refers to another.
        let twice = text.replacing(#"{"as":2,"#, with: #"{"as":4,"#)
        #expect(Self.read(twice)?.facts[5].fact.transaction == Self.fact(1, 1, 1).fact.transaction)
        // The largest part has no next one.
        let last = text.replacing(#""position":2,"#, with: #""position":2,"part":65535,"#)
        #expect(last != text && Self.read(last) == nil)
    }

    @Test("An erasure has as many facts as the bound, and one more makes it unreadable")
    func bound() {
        let text = Self.text(Self.erasure([Self.fact(1, 0, 0)]))
        let digest = Self.fact(1, 1, 0).fact.digest.hexadecimal
        let reference = #",{"as":0,"digest":"\#(digest)"}"#
        for (count, isRead) in [
            (Erasure.maximumFactCount, true), (Erasure.maximumFactCount + 1, false),
        ] {
            let evidence =
                text.replacing("erasure/1", with: "erasure/2").dropLast(2)
                + String(repeating: reference, count: count - 1) + "]}"
            let read = Self.read(String(evidence))
            #expect(read?.facts.count == (isRead ? count : nil))
            #expect(!isRead || read?.facts.last?.part == UInt16(count - 1))
        }
    }
}
