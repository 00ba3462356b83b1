internal import AppStore
internal import LedgerStore

/// The columns of `quarantine`, in the order every statement here names them; the bytes follow.
enum QuarantineRow {
    static let columns = """
        id, received_at, latest_at, attempts, standing, code, part, message, bundle_id, \
        environment, input, byte_count
        """

    /// Nil when a value is unknown to this release.
    static func read(_ row: PreparedStatement) -> QuarantineItem? {
        guard let standing = QuarantineStanding(code: row.int64(4)), let code = row.text(5),
            let message = row.text(7), let input = row.text(10)
        else { return nil }
        return QuarantineItem(
            id: row.int64(0), receivedAt: Timestamp(milliseconds: row.int64(1)),
            latestAt: Timestamp(milliseconds: row.int64(2)), attempts: row.int64(3),
            standing: standing, code: code, part: row.text(6), message: message,
            bundleId: row.text(8).map(BundleId.init), environment: row.text(9), input: input,
            byteCount: row.int64(11), bytes: row.bytes(12))
    }
}
