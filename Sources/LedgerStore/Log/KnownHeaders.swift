internal import AppStore

/// Headers of the log that were read or written lately, both ways. Only committed ones may be
/// remembered beyond a transaction.
struct KnownHeaders: Sendable {
    private(set) var ids: [Digest: Int64] = [:]
    private(set) var headers: [Int64: EvidenceHeader] = [:]

    mutating func insert(_ header: EvidenceHeader, _ id: Int64) {
        if headers.count >= LogLimits.knownHeaderCount { self = KnownHeaders() }
        ids[header.hash] = id
        headers[id] = header
    }
}
