internal import AppStore

/// A header row on its way into a copy.
struct CopiedHeader: Sendable {
    let id: Int64
    let hash: Digest
    let bytes: [UInt8]
}
