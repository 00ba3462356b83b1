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
        Migration(
            version: 4, name: "V0004_log_erasure", sql: PackageResources.V0004_log_erasure_sql),
        Migration(
            version: 5, name: "V0005_log_decisions", sql: PackageResources.V0005_log_decisions_sql),
        Migration(
            version: 6, name: "V0006_log_version_one",
            sql: PackageResources.V0006_log_version_one_sql),
    ]

    /// `operations.sqlite`: quarantine, feeds and webhooks, keys of uploads, recoveries and backfills.
    /// Its first script replaced eleven, and makes the same tables.
    public static let operations = [
        Migration(
            version: 11, name: "V0011_operations", sql: PackageResources.V0011_operations_sql,
            replaced: "b0cdf1afa851f6910e2ba037b8bf2339b54deda5c2e13a1091da5604a7107561"),
        Migration(
            version: 12, name: "V0012_operations_checkpoints",
            sql: PackageResources.V0012_operations_checkpoints_sql),
        Migration(
            version: 13, name: "V0013_operations_retention",
            sql: PackageResources.V0013_operations_retention_sql),
        Migration(
            version: 14, name: "V0014_operations_retention_offer",
            sql: PackageResources.V0014_operations_retention_offer_sql),
        Migration(
            version: 15, name: "V0015_operations_cursors",
            sql: PackageResources.V0015_operations_cursors_sql),
        Migration(
            version: 16, name: "V0016_operations_feed_rules",
            sql: PackageResources.V0016_operations_feed_rules_sql),
    ]

    /// A schema in PostgreSQL: log and operations of one environment.
    public static let postgres = [
        Migration(
            version: 1, name: "V0001_postgres_log", sql: PackageResources.V0001_postgres_log_sql),
        Migration(
            version: 2, name: "V0002_postgres_operations",
            sql: PackageResources.V0002_postgres_operations_sql),
        Migration(
            version: 3, name: "V0003_postgres_checkpoints",
            sql: PackageResources.V0003_postgres_checkpoints_sql),
        Migration(
            version: 4, name: "V0004_postgres_erasure",
            sql: PackageResources.V0004_postgres_erasure_sql),
        Migration(
            version: 5, name: "V0005_postgres_retention",
            sql: PackageResources.V0005_postgres_retention_sql),
        Migration(
            version: 6, name: "V0006_postgres_retention_offer",
            sql: PackageResources.V0006_postgres_retention_offer_sql),
        Migration(
            version: 7, name: "V0007_postgres_decisions",
            sql: PackageResources.V0007_postgres_decisions_sql),
        Migration(
            version: 8, name: "V0008_postgres_cursors",
            sql: PackageResources.V0008_postgres_cursors_sql),
        Migration(
            version: 9, name: "V0009_postgres_feed_rules",
            sql: PackageResources.V0009_postgres_feed_rules_sql),
        Migration(
            version: 10, name: "V0010_postgres_version_one",
            sql: PackageResources.V0010_postgres_version_one_sql),
    ]
}
