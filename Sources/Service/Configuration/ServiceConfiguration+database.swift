internal import Intake

extension ServiceConfiguration {
    /// `database`: where log and operational state are shared. The connection string is checked
    /// when it is opened, and never quoted.
    static func database(
        _ entry: inout YAMLMapping
    ) throws(ConfigurationError) -> Configuration.Database {
        var database = Configuration.Database(url: try entry.required("url"))
        database.schema = try entry.text(
            "schema",
            "Lower-case letters, digits and underscores, a letter first, at most 40 bytes.",
            where: Configuration.Database.isSchema)
        if let size = try entry.integer("poolSize") {
            let sizes = Configuration.Database.poolSizes
            guard let count = Int(exactly: size), sizes.contains(count) else {
                throw entry.invalid(
                    "poolSize", "\(sizes.lowerBound) to \(sizes.upperBound) are expected.")
            }
            database.poolSize = count
        }
        return database
    }
}
