import Foundation
import Synchronization

/// A PostgreSQL cluster of the tests' own in a temporary directory; never the system's. It ends
/// with the test process, however that ends.
public final class PostgresCluster: Sendable {
    /// Names of databases and schemas count up.
    private static let number = Mutex(0)

    let directory: String
    public let port: UInt16
    let binaries: String
    private let isDurable: Bool
    private let server: Mutex<ServerProcess?>

    /// The superuser's name.
    public static let superuser = "postgres"
    /// A role that must give `password`, over TCP.
    public static let lockedRole = "locked"
    public static let password = "let-me-in"

    /// Where the server's programs are; nil where PostgreSQL is not installed.
    public static let binaryDirectory: String? = {
        let found = try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")
        let versions = (found ?? []).compactMap(Int.init).sorted(by: >)
        let places = versions.map { "/usr/lib/postgresql/\($0)/bin" } + ["/usr/local/pgsql/bin"]
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return (places + path.split(separator: ":").map(String.init)).first {
            FileManager.default.isExecutableFile(atPath: $0 + "/initdb")
        }
    }()

    /// Whether tests of PostgreSQL run: skipped where it is missing, except in CI.
    public static let isPresent =
        binaryDirectory != nil || ProcessInfo.processInfo.environment["CI"] != nil

    /// A cluster that is started on first use.
    private final class Shared: Sendable {
        private let started = Mutex<Result<PostgresCluster, any Error>?>(nil)

        func cluster() throws -> PostgresCluster {
            try started.withLock { started in
                let result = started ?? Result { try PostgresCluster(isDurable: false) }
                started = result
                return try result.get()
            }
        }
    }

    private static let common = Shared()
    private static let erased = Shared()
    private static let locked = Shared()

    /// The cluster that tests of this process share. Blocks.
    public static func shared() throws -> PostgresCluster { try common.cluster() }

    /// The cluster that tests share which erase: an erasure waits for each transaction that writes
    /// in its cluster, and on a slow machine a test of another one keeps its own open for longer
    /// than an erasure waits. Blocks.
    public static func sharedForErasures() throws -> PostgresCluster { try erased.cluster() }

    /// The cluster that tests share which keep a row locked, for which an erasure waits. Blocks.
    public static func sharedForLocks() throws -> PostgresCluster { try locked.cluster() }

    /// Starts another cluster, for a test that stops it or changes its settings. Blocks. Without
    /// `isDurable` it does not wait for the disk, which slow machines would make it do for seconds;
    /// only a crash of the machine loses anything then.
    public init(isDurable: Bool = true) throws {
        guard let binaries = PostgresCluster.binaryDirectory else {
            throw Program.Failure(description: "PostgreSQL is not installed.")
        }
        self.binaries = binaries
        self.isDurable = isDurable
        directory = FileManager.default.temporaryDirectory.path + "/slpg-" + UUID().uuidString
        port = try FreePort.find()
        server = Mutex(nil)
        try makeDirectory()
        try Program.run(
            asUser([
                "\(binaries)/initdb", "-D", "\(directory)/data", "-U", PostgresCluster.superuser,
                "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync",
            ]), in: directory)
        let access = """
            host all \(PostgresCluster.lockedRole) 127.0.0.1/32 scram-sha-256
            local all all trust
            host all all 127.0.0.1/32 trust
            host replication all 127.0.0.1/32 trust

            """
        try access.write(
            toFile: "\(directory)/data/pg_hba.conf", atomically: false, encoding: .utf8)
        try start()
        try sql(
            """
            CREATE ROLE \(PostgresCluster.lockedRole) LOGIN PASSWORD '\(PostgresCluster.password)'
            """)
        Clusters.add(self)
    }

    /// Starts a standby of another cluster, which streams from it and may be promoted. Blocks.
    public init(standbyOf primary: PostgresCluster, named name: String) throws {
        binaries = primary.binaries
        isDurable = primary.isDurable
        directory = FileManager.default.temporaryDirectory.path + "/slpg-" + UUID().uuidString
        port = try FreePort.find()
        server = Mutex(nil)
        try makeDirectory()
        try Program.run(
            asUser([
                "\(binaries)/pg_basebackup", "-D", "\(directory)/data", "-R", "-X", "stream",
                "-c", "fast", "--no-sync", "-d",
                """
                host=127.0.0.1 port=\(primary.port) user=\(PostgresCluster.superuser) \
                application_name=\(name)
                """,
            ]), in: directory)
        try start()
        Clusters.add(self)
    }

    /// Makes a standby the primary. Blocks.
    public func promote() throws { try sql("SELECT pg_promote(true)") }

    private func makeDirectory() throws {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let user = PostgresCluster.unprivileged
        if let user { chown(directory, user.uid, user.gid) }
    }

    /// Stops the server and removes its files.
    public func end() {
        stop(SIGQUIT)
        Clusters.remove(self)
        try? FileManager.default.removeItem(atPath: directory)
    }

    // MARK: The server

    /// Returns when connections are accepted. Blocks.
    public func start() throws {
        let ready = [
            "\(binaries)/pg_isready", "-q", "-h", directory, "-p", "\(port)",
            "-U", PostgresCluster.superuser,
        ]
        var process = launch()
        for _ in 0..<600 {
            if (try? Program.run(ready, in: directory)) != nil {
                return server.withLock { $0 = process }
            }
            usleep(50_000)
            // Processes of a killed server may outlive it for a moment, and keep its memory.
            if process.hasEnded { process = launch() }
        }
        process.end(SIGQUIT)
        let log = try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)
        throw Program.Failure(description: "The server did not start: \(log ?? "")")
    }

    private func launch() -> ServerProcess {
        ServerProcess(
            asUser([
                "\(binaries)/postgres", "-D", "\(directory)/data", "-p", "\(port)",
                "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=\(directory)",
                "-c", "fsync=\(isDurable ? "on" : "off")",
                "-c", "max_connections=400", "-c", "shared_buffers=64MB",
            ]), log: "\(directory)/log")
    }

    /// SIGINT ends it in order, SIGQUIT and SIGKILL at once.
    public func stop(_ signal: Int32 = SIGINT) {
        let process = server.withLock { server in
            defer { server = nil }
            return server
        }
        process?.end(signal)
        // A killed server leaves its file behind.
        if signal == SIGKILL { unlink("\(directory)/data/postmaster.pid") }
    }

    // MARK: Databases

    /// Runs statements as the superuser; returns the rows, columns between "|". Blocks.
    @discardableResult
    public func sql(_ text: String, database: String = "postgres") throws -> String {
        try Program.run(
            [
                "\(binaries)/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1",
                "-h", directory, "-p", "\(port)", "-U", PostgresCluster.superuser,
                "-d", database, "-c", text,
            ], in: directory
        ).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A new, empty database; it stays until the cluster ends. Blocks. Creating one takes as long
    /// as a second on a slow disk: most tests take a schema of their own instead.
    public func makeDatabase(_ options: String = "") throws -> String {
        let name = PostgresCluster.newName()
        try sql("CREATE DATABASE \(name) \(options)")
        return name
    }

    /// The relations of a database whose files hold a text, after a checkpoint. Blocks.
    public func relations(of database: String, holding text: String) throws -> [String] {
        let oid = try sql("SELECT oid FROM pg_database WHERE datname = '\(database)'")
            .trimmingCharacters(in: .whitespacesAndNewlines)
        try sql("CHECKPOINT")
        let base = "\(directory)/data/base/\(oid)"
        return try FileManager.default.contentsOfDirectory(atPath: base).filter { name in
            let data = FileManager.default.contents(atPath: "\(base)/\(name)") ?? Data()
            return data.range(of: Data(text.utf8)) != nil
        }.map { name in
            let node = name.prefix { $0.isNumber }
            let relation = try sql(
                "SELECT relname FROM pg_class WHERE pg_relation_filenode(oid) = '\(node)'",
                database: database)
            return relation.isEmpty ? name : relation
        }
    }

    /// A name for a database or schema that no other test uses.
    public static func newName() -> String {
        number.withLock { number in
            number += 1
            return "test\(number)"
        }
    }

    /// A connection string over TCP.
    public func url(_ database: String, port: UInt16? = nil) -> String {
        """
        host=127.0.0.1 port=\(port ?? self.port) user=\(PostgresCluster.superuser) \
        dbname=\(database) sslmode=disable gssencmode=disable
        """
    }

    // MARK: The user

    /// PostgreSQL refuses to run as root: then the user `nobody`.
    private static let unprivileged: (uid: uid_t, gid: gid_t)? = {
        guard geteuid() == 0, let entry = getpwnam("nobody") else { return nil }
        return (entry.pointee.pw_uid, entry.pointee.pw_gid)
    }()

    /// The command run as an unprivileged user, and ended when its parent thread ends.
    func asUser(_ words: [String]) -> [String] {
        let dying = ["setpriv", "--pdeathsig", "QUIT"]
        guard let user = PostgresCluster.unprivileged else { return dying + words }
        return dying + ["--reuid", "\(user.uid)", "--regid", "\(user.gid)", "--clear-groups"]
            + words
    }
}

/// Ends every cluster at a regular end of the process.
private enum Clusters {
    private static let all = Mutex<[ObjectIdentifier: PostgresCluster]>([:])
    private static let registered: Void = {
        atexit { Clusters.end() }
    }()

    static func add(_ cluster: PostgresCluster) {
        _ = registered
        all.withLock { $0[ObjectIdentifier(cluster)] = cluster }
    }

    static func remove(_ cluster: PostgresCluster) {
        all.withLock { $0[ObjectIdentifier(cluster)] = nil }
    }

    private static func end() {
        for cluster in all.withLock({ $0 }).values { cluster.end() }
    }
}
