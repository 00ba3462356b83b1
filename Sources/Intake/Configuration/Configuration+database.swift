public import LedgerStore

extension Configuration {
    /// Where log and operational state are shared by several nodes (`database`). Its description
    /// leaves out the connection string, which may hold a password.
    public struct Database: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
        /// A connection string of PostgreSQL.
        public var url: String
        /// The prefix of the schemas' names; nil: `subledger`.
        public var schema: String?
        /// Reading connections for each environment; nil for the default.
        public var poolSize: Int?
        /// Opens it; nil in a program without such an engine.
        public var engine: (any LogEngine)?

        public static let poolSizes = 1...64

        public init(url: String, schema: String? = nil, poolSize: Int? = nil) {
            self.url = url
            self.schema = schema
            self.poolSize = poolSize
        }

        /// Whether a text can begin the names of schemas.
        public static func isSchema(_ text: String) -> Bool {
            text.wholeMatch(of: /[a-z][a-z0-9_]{0,39}/) != nil && !text.hasPrefix("pg_")
        }

        public static func == (left: Database, right: Database) -> Bool {
            left.url == right.url && left.schema == right.schema
                && left.poolSize == right.poolSize
        }

        public var description: String { "database" }
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}
