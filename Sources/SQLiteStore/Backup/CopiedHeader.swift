internal import AppStore

/// A header row being copied.
struct CopiedHeader: Sendable {
    let id: Int64
    let hash: Digest
    let bytes: [UInt8]
}
