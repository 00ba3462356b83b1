/// What stood in a file before a write or a truncation that was not synced yet.
struct UnsyncedChange: Sendable {
    let path: String
    let offset: Int64
    let bytesBefore: [UInt8]
    /// Of the file.
    let sizeBefore: Int64
}
