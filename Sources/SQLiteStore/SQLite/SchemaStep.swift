internal import AppStore
internal import Migrations
internal import Signing

/// A migration with its checksum.
struct SchemaStep: Sendable {
    let version: Int
    let name: String
    let sql: String
    /// SHA-256 of the script's bytes, recorded in every file to which it was applied.
    let checksum: Digest

    init(_ migration: Migration) {
        version = migration.version
        name = migration.name
        sql = migration.text
        checksum = SHA256.hash(migration.sql)
    }
}
