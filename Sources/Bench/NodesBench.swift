#if PostgreSQL
    import AppStore
    import Foundation
    internal import Intake
    import Ledger
    internal import LedgerStore
    internal import PostgresStore
    internal import PostgresSupport
    internal import Projection
    internal import SQLiteStore

    /// The log in PostgreSQL, in a cluster started for the run: appends of one and of several
    /// nodes, with and without a synchronous standby, and a new node that reads the log.
    extension BenchLedger {
        /// Number of events of one measurement, and of those with one event in a batch.
        private static let sharedEventCount = 40_000
        private static let singleEventCount = 2_000
        private static let nodeCount = 4

        /// Throws what starting the cluster throws, and `StoreError`.
        public func nodes(report: @Sendable (String) -> Void = { _ in }) async throws -> [BenchRow]
        {
            defer { remove() }
            guard PostgresCluster.binaryDirectory != nil else {
                return [
                    BenchRow(
                        name: "nodes", unit: "events/s",
                        missing: "The programs of PostgreSQL's server are not installed.", events: 0
                    )
                ]
            }
            let cluster = try PostgresCluster()
            defer { cluster.end() }
            let pool = try feedPool()
            var rows: [BenchRow] = []
            for size in [1, 16, 128, 512] {
                report("append, batches of \(size)")
                rows += try await appends("nodes.append.\(size)", cluster, pool, nodes: 1, size)
            }
            for size in [16, 128, 512] {
                report("append from \(BenchLedger.nodeCount) nodes, batches of \(size)")
                rows += try await appends(
                    "nodes.append\(BenchLedger.nodeCount).\(size)", cluster, pool,
                    nodes: BenchLedger.nodeCount, size)
            }
            report("a new node")
            rows.append(try await newNode(cluster))
            report("append with a synchronous standby")
            let standby = try PostgresCluster(standbyOf: cluster, named: "standby")
            defer { standby.end() }
            try cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
            try cluster.sql("ALTER SYSTEM SET synchronous_commit = 'remote_apply'")
            try cluster.sql("SELECT pg_reload_conf()")
            rows += try await appends("nodes.synchronous.512", cluster, pool, nodes: 1, 512)
            rows += try await appends(
                "nodes.synchronous\(BenchLedger.nodeCount).16", cluster, pool,
                nodes: BenchLedger.nodeCount, 16)
            return rows
        }

        private func engine(_ cluster: PostgresCluster) throws -> PostgresEngine {
            guard let connection = ConnectionString(cluster.url(PostgresCluster.superuser)) else {
                throw BenchProblem.noInput
            }
            return PostgresEngine(connection, schema: PostgresCluster.newName())
        }

        /// Appends to an empty log from `nodes` nodes at once, against `pgbench` inserting as many
        /// bytes in as large batches over one connection each.
        private func appends(
            _ name: String, _ cluster: PostgresCluster, _ pool: EventPool, nodes: Int, _ size: Int
        ) async throws -> [BenchRow] {
            let count = size == 1 ? BenchLedger.singleEventCount : BenchLedger.sharedEventCount
            let engine = try engine(cluster)
            var logs: [any LedgerLog] = []
            for _ in 0..<nodes { logs.append(try await engine.openLog(BenchLedger.environment)) }
            let clock = ContinuousClock()
            let started = clock.now
            let latencies = try await withThrowingTaskGroup(of: [Double].self) { group in
                for (number, log) in logs.enumerated() {
                    group.addTask {
                        var latencies: [Double] = []
                        for first in stride(from: number * size, to: count, by: nodes * size) {
                            let batch = (0..<size).map { pool.event(first + $0) }
                            latencies.append(
                                try await BenchLedger.seconds { _ = try await log.append(batch) })
                        }
                        return latencies
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let elapsed = (clock.now - started).seconds
            let stored = try await logs[0].head().position
            for log in logs { await log.close() }
            let appended = latencies.count * size
            guard stored == appended else { throw BenchProblem.refused }
            let bare = try cluster.bareInserts(
                batchCount: size, byteCount: pool.bodyByteCount + 330, clientCount: nodes)
            return [
                BenchRow(
                    name: name, value: Double(appended) / elapsed, unit: "events/s",
                    limitName: "pgbench inserting as many bytes", limit: bare, events: appended),
                BenchRow(
                    name: "\(name).p50", value: BenchLedger.percentile(latencies, 0.5) * 1_000,
                    unit: "ms", events: appended),
                BenchRow(
                    name: "\(name).p99", value: BenchLedger.percentile(latencies, 0.99) * 1_000,
                    unit: "ms", events: appended),
            ]
        }

        /// Fills a log and opens a node with an empty directory: from nothing to its first answer.
        private func newNode(_ cluster: PostgresCluster) async throws -> BenchRow {
            var configuration = configuration
            configuration.dataDirectory = "\(folder)/node"
            let engine = try engine(cluster)
            configuration.database = .init(url: engine.connection.location, schema: engine.schema)
            configuration.database?.engine = engine
            let ledger = try await EnvironmentLedger.open(
                configuration, environment: BenchLedger.environment)
            let (count, _) = try await write(to: ledger)
            let (row, _) = try await decode("nodes.new", ledger, count: count)
            await ledger.close()
            return row
        }
    }
#endif
