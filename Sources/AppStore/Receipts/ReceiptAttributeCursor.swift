/// Iterates over the attributes of a receipt or of one of its purchases: SEQUENCE { type INTEGER,
/// version INTEGER, value OCTET STRING }.
struct ReceiptAttributeCursor {
    private var elements: BERCursor
    /// Types of the known attributes so far.
    private var seen: Set<Int64> = []

    /// Iterates over the SET that fills `range`.
    init(set range: Range<Int>, in bytes: borrowing Span<UInt8>) throws(AppReceiptError) {
        do throws(BERError) {
            var cursor = BERCursor(range)
            let set = try cursor.require(BERTag.set, in: bytes)
            try cursor.requireEnd()
            elements = BERCursor(set.contents)
        } catch {
            throw AppReceiptError(.malformed)
        }
    }

    /// The next attribute; nil at the end.
    mutating func next(
        in bytes: borrowing Span<UInt8>
    ) throws(AppReceiptError) -> ReceiptValue? {
        do throws(BERError) {
            guard let sequence = try elements.next(in: bytes) else { return nil }
            guard sequence.tag == BERTag.sequence else {
                throw BERError(.unexpectedElement, offset: sequence.start)
            }
            var parts = BERCursor(sequence.contents)
            let type = try parts.require(BERTag.integer, in: bytes)
            let version = try parts.require(BERTag.integer, in: bytes)
            let value = try parts.require(BERTag.octetString, in: bytes)
            try parts.requireEnd()
            guard let number = ReceiptValue.integer(type.contents, in: bytes),
                let versionNumber = ReceiptValue.integer(version.contents, in: bytes)
            else { throw BERError(.unexpectedElement, offset: sequence.start) }
            return ReceiptValue(type: number, version: versionNumber, range: value.contents)
        } catch {
            throw AppReceiptError(.malformed)
        }
    }

    /// Throws if a known attribute of this type occurred before.
    mutating func requireFirst(_ type: Int64) throws(AppReceiptError) {
        guard seen.insert(type).inserted else {
            throw AppReceiptError(.duplicateAttribute, attribute: type)
        }
    }
}
