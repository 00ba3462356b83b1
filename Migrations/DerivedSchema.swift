/// The schemas of the files derived from the log, which can be rebuilt at any time. They have no
/// history, since another version is another file.
public enum DerivedSchema {
    /// `facts-<decoderVersion>.sqlite`.
    public static let facts = String(
        decoding: PackageResources.derived_facts_sql, as: UTF8.self)
    /// `projections-<reducerVersion>-<n>.sqlite`.
    public static let projections = String(
        decoding: PackageResources.derived_projections_sql, as: UTF8.self)
}
