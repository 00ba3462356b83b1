/// The migrations of each durable file: one list per file, oldest first.
///
/// A script is named `V<number>_<file>_<what>.sql`; it starts with a letter because the name
/// becomes an identifier when it is embedded. Derived files (facts, projections) have no history:
/// another version is another file.
public enum SchemaHistory {
    /// `log.sqlite`: the ledger itself.
    public static let log = [
        Migration(
            version: 1, name: "V0001_log_events", sql: PackageResources.V0001_log_events_sql),
        Migration(
            version: 2, name: "V0002_log_sweeps", sql: PackageResources.V0002_log_sweeps_sql),
        Migration(
            version: 3, name: "V0003_log_xcode", sql: PackageResources.V0003_log_xcode_sql),
    ]

    /// `operations.sqlite`: quarantine, feeds and webhooks, keys of uploads, recoveries and backfills.
    public static let operations = [
        Migration(
            version: 1, name: "V0001_operations_quarantine",
            sql: PackageResources.V0001_operations_quarantine_sql),
        Migration(
            version: 2, name: "V0002_operations_feeds",
            sql: PackageResources.V0002_operations_feeds_sql),
        Migration(
            version: 3, name: "V0003_operations_uploads",
            sql: PackageResources.V0003_operations_uploads_sql),
        Migration(
            version: 4, name: "V0004_operations_recovery",
            sql: PackageResources.V0004_operations_recovery_sql),
        Migration(
            version: 5, name: "V0005_operations_backfill",
            sql: PackageResources.V0005_operations_backfill_sql),
        Migration(
            version: 6, name: "V0006_operations_cursors",
            sql: PackageResources.V0006_operations_cursors_sql),
        Migration(
            version: 7, name: "V0007_operations_reports",
            sql: PackageResources.V0007_operations_reports_sql),
        Migration(
            version: 8, name: "V0008_operations_awaiting_secret",
            sql: PackageResources.V0008_operations_awaiting_secret_sql),
        Migration(
            version: 9, name: "V0009_operations_waiting",
            sql: PackageResources.V0009_operations_waiting_sql),
        Migration(
            version: 10, name: "V0010_operations_clock_leaf",
            sql: PackageResources.V0010_operations_clock_leaf_sql),
        Migration(
            version: 11, name: "V0011_operations_clock_again",
            sql: PackageResources.V0011_operations_clock_again_sql),
    ]
}
