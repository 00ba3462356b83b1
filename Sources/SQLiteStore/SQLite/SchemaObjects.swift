internal import GRDB

/// The schema of a file, text by text.
enum SchemaObjects {
    /// Every schema entry except SQLite's own statistics.
    static func all(_ database: Database) throws -> Set<[String]> {
        let select = try PreparedStatement(
            database,
            """
            SELECT type, name, tbl_name, coalesce(sql, '') FROM main.sqlite_schema
            WHERE name NOT LIKE 'sqlite_stat%'
            """)
        defer { select.reset() }
        var objects: Set<[String]> = []
        while try select.step() {
            objects.insert((0..<4).map { select.text($0) ?? "" })
        }
        return objects
    }
}
