import Foundation

/// PgBouncer in front of a cluster, in transaction or session mode.
public final class Pooler: Sendable {
    public let port: UInt16
    private let process: ServerProcess

    /// Debian's program, or the one that `PGBOUNCER` names; nil where there is none.
    static let program: String? = {
        let named = ProcessInfo.processInfo.environment["PGBOUNCER"]
        return [named, "/usr/sbin/pgbouncer"].compactMap { $0 }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }()

    public static var isPresent: Bool { program != nil && PostgresCluster.isPresent }

    /// Returns when it accepts connections. Blocks.
    ///
    /// - Parameter takesTurns: whether a transaction gets the session that was free for longest,
    ///   instead of the one that was used last.
    public init(to cluster: PostgresCluster, mode: String, takesTurns: Bool = false) throws {
        guard let program = Pooler.program else {
            throw Program.Failure(description: "PgBouncer is not installed.")
        }
        port = try FreePort.find()
        let settings = """
            [databases]
            * = host=\(cluster.directory) port=\(cluster.port) user=\(PostgresCluster.superuser)
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port)
            unix_socket_dir =
            auth_type = any
            pool_mode = \(mode)
            server_round_robin = \(takesTurns ? 1 : 0)

            """
        let base = "\(cluster.directory)/pooler-\(port)"
        try settings.write(toFile: base + ".ini", atomically: false, encoding: .utf8)
        process = ServerProcess(
            cluster.asUser([program, base + ".ini"]), log: base + ".log")
        for _ in 0..<200 {
            if let socket = FreePort.connect(port) {
                close(socket)
                return
            }
            usleep(20_000)
        }
        throw Program.Failure(description: "PgBouncer did not start.")
    }

    /// At once, with the connections it holds.
    public func end() { process.end(SIGTERM) }
}
