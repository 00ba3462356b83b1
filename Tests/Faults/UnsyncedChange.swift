/// The previous contents at a write or truncation that is not synced yet.
struct UnsyncedChange: Sendable {
    let path: String
    let offset: Int64
    let bytesBefore: [UInt8]
    /// The size of the file.
    let sizeBefore: Int64
}
