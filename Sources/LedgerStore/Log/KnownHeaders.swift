package import AppStore

/// A bidirectional cache of recently read or written headers. Only committed headers may outlive a
/// transaction.
package struct KnownHeaders: Sendable {
    package private(set) var ids: [Digest: Int64] = [:]
    package private(set) var headers: [Int64: EvidenceHeader] = [:]

    package init() {
    }

    package mutating func insert(_ header: EvidenceHeader, _ id: Int64) {
        if headers.count >= LogLimits.knownHeaderCount { self = KnownHeaders() }
        ids[header.hash] = id
        headers[id] = header
    }
}
