import Ledger

@testable import SQLiteStore

/// A damaged stored fact: refused, or read as a fact that can be stored again.
struct FactTarget: FuzzTarget {
    let name = "fact"
    let maximumByteCount = 2 * 1_024

    func seeds(_ source: SeedSource) -> [[UInt8]] { source.facts.map { FactCodec.encode($0) } }

    func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let recent = StringInterner()
        for signedAt in [0, 1_700_000_000_000, Int64.min, Int64.max] {
            let fact = try? FactCodec.decode(
                UnsafeRawBufferPointer(bytes), position: 7, signedAt: signedAt, recent: recent)
            guard let fact else { continue }
            let encoded = FactCodec.encode(fact)
            let again = encoded.withUnsafeBytes {
                try? FactCodec.decode($0, position: 7, signedAt: signedAt, recent: recent)
            }
            require(again == fact, "a fact round-trips through storage")
        }
    }
}
