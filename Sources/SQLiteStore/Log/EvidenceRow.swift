internal import LedgerStore

/// The `bytes` column of `evidence`: verbatim evidence unchanged; packed evidence preceded by the
/// number and the ids of its headers.
enum EvidenceRow {
    static func encode(_ evidence: PackedEvidence, headerIds: [Int64]) -> [UInt8] {
        guard evidence.form != .verbatim else { return evidence.body }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(evidence.body.count + 2 * (headerIds.count + 1))
        Varint.append(headerIds.count, to: &bytes)
        for id in headerIds { Varint.append(Int(id), to: &bytes) }
        bytes.append(contentsOf: evidence.body)
        return bytes
    }

    /// Throws `fileCorrupt` when the bytes are invalid.
    static func decode(
        form: Int64, _ bytes: UnsafeRawBufferPointer, _ headers: inout HeaderTable
    ) throws -> PackedEvidence {
        guard let form = PackedEvidence.Form(rawValue: form) else {
            throw PackedEvidence.unreadable
        }
        guard form != .verbatim else {
            return PackedEvidence(form: form, headers: [], body: Array(bytes))
        }
        var reader = PackedReader(bytes)
        guard let count = reader.readVarint(), count <= maximumHeaderCount else {
            throw PackedEvidence.unreadable
        }
        var found: [EvidenceHeader] = []
        for _ in 0..<count {
            guard let id = reader.readVarint() else { throw PackedEvidence.unreadable }
            found.append(try headers.header(Int64(id)))
        }
        let body = Array(bytes[reader.index...])
        return PackedEvidence(form: form, headers: found, body: body)
    }

    /// An envelope and one nested part of each kind.
    private static let maximumHeaderCount = 1 + SignedField.allCases.count
}
