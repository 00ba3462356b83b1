/// Bytes that events add to the file: packed evidence, and each distinct header once.
struct StoredSize {
    private var headers: Set<EvidenceHeader> = []
    private(set) var byteCount = 0

    mutating func add(_ event: NewEvent) {
        byteCount += event.evidence.packed.storedByteCount
        for header in event.evidence.packed.headers where headers.insert(header).inserted {
            byteCount += header.bytes.count
        }
    }
}
