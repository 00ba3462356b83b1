internal import AppStore
internal import Ledger

/// A row of `facts` as a record of a sorted run: the key in the order of the table's primary key,
/// the body as the value.
enum FactRecord {
    /// Size of app, signed_at and position, eight bytes each, and part, two bytes, which follow the
    /// chain.
    private static let suffixByteCount = 26

    static func append(_ decoded: FactDecoder.Decoded, app: Int64, to buffer: inout RunBuffer) {
        var key: [UInt8] = []
        let chain = decoded.chain.originalTransactionId.rawValue
        key.reserveCapacity(chain.utf8.count + 1 + suffixByteCount)
        RunKey.append(chain, to: &key)
        RunKey.append(app, to: &key)
        RunKey.append(signedAt(decoded.fact), to: &key)
        RunKey.append(decoded.fact.position, to: &key)
        RunKey.append(part: decoded.part, to: &key)
        buffer.append(key: key, value: FactCodec.encode(decoded.fact))
    }

    /// The value of the `signed_at` column: the smallest integer for a fact without a date.
    static func signedAt(_ fact: Fact) -> Int64 { fact.signedDate?.milliseconds ?? .min }

    /// Binds the record to an INSERT of (chain, app, signed_at, position, part, body).
    static func bind(
        key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, to insert: PreparedStatement
    ) {
        let chainCount = key.count - suffixByteCount
        insert.bind(1, RunKey.text(key, count: chainCount))
        insert.bind(2, RunKey.int64(key, at: chainCount))
        insert.bind(3, RunKey.int64(key, at: chainCount + 8))
        insert.bind(4, RunKey.int64(key, at: chainCount + 16))
        insert.bind(5, RunKey.uint16(key, at: chainCount + 24))
        insert.bind(6, value)
    }
}
