/// The `bytes` column of `evidence`: verbatim evidence unchanged; packed evidence preceded by the
/// number and the ids of its headers.
package enum EvidenceColumn {
    package static func encode(_ evidence: PackedEvidence, headerIds: [Int64]) -> [UInt8] {
        guard evidence.form != .verbatim else { return evidence.body }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(evidence.body.count + 2 * (headerIds.count + 1))
        Varint.append(headerIds.count, to: &bytes)
        for id in headerIds { Varint.append(Int(id), to: &bytes) }
        bytes.append(contentsOf: evidence.body)
        return bytes
    }

    /// Adds the ids of the headers that a value refers to; none of an invalid one.
    package static func addHeaderIds(
        form: Int64, _ bytes: UnsafeRawBufferPointer, to ids: inout Set<Int64>
    ) {
        guard form != PackedEvidence.Form.verbatim.rawValue else { return }
        var reader = PackedReader(bytes)
        guard let count = reader.readVarint(), count <= maximumHeaderCount else { return }
        for _ in 0..<count {
            if let id = reader.readVarint() { ids.insert(Int64(id)) }
        }
    }

    /// Throws `fileCorrupt` when the bytes are invalid, and what `header` throws: it returns the
    /// stored header with an id.
    package static func decode(
        form: Int64, _ bytes: UnsafeRawBufferPointer, header: (Int64) throws -> EvidenceHeader
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
            found.append(try header(Int64(id)))
        }
        let body = Array(bytes[reader.index...])
        return PackedEvidence(form: form, headers: found, body: body)
    }

    /// An envelope and one nested part of each kind.
    private static let maximumHeaderCount = 1 + SignedField.allCases.count
}
