#if PostgreSQL
    import AppStore
    import Foundation
    internal import Intake
    import Ledger
    internal import LedgerStore
    internal import PostgresStore
    internal import PostgresSupport
    internal import Projection
    internal import Service
    public import Signing

    /// The log in PostgreSQL, in a cluster started for the run: appends of one and of several
    /// nodes, at a distance, to a filled log and with a synchronous standby; a new node that reads
    /// the log, how soon another node sees an append, and intake over HTTP.
    extension BenchLedger {
        /// Number of events of one measurement, and of those with one event in a batch.
        private static let sharedEventCount = 40_000
        private static let singleEventCount = 2_000
        private static let nodeCount = 4
        /// Half of a round trip to a database in another zone.
        private static let distanceMicroseconds: UInt32 = 700

        /// Throws what starting the cluster throws, and `StoreError`.
        ///
        /// - Parameters:
        ///   - bodies: signed notifications to post, each once.
        ///   - roots: the roots of their certificates.
        public func nodes(
            bodies: [[UInt8]], roots: TrustedRoots,
            report: @Sendable (String) -> Void = { _ in }
        ) async throws -> [BenchRow] {
            defer { remove() }
            guard PostgresCluster.binaryDirectory != nil else {
                return [
                    BenchRow(
                        "nodes", "events/s",
                        missing: "The programs of PostgreSQL's server are not installed.")
                ]
            }
            let cluster = try PostgresCluster()
            defer { cluster.end() }
            let pool = try feedPool()
            var rows: [BenchRow] = []
            for size in [1, 16, 128, 512] {
                report("append, batches of \(size)")
                rows += try await appends("nodes.append.\(size)", cluster, pool, size)
            }
            for size in [16, 128, 512] {
                report("append from \(BenchLedger.nodeCount) nodes, batches of \(size)")
                rows += try await appends(
                    "nodes.append\(BenchLedger.nodeCount).\(size)", cluster, pool,
                    nodes: BenchLedger.nodeCount, size)
            }
            report("append at a distance")
            let proxy = try CuttingProxy(
                to: cluster.port, delayMicroseconds: BenchLedger.distanceMicroseconds)
            defer { proxy.end() }
            for size in [16, 512] {
                rows += try await appends(
                    "nodes.distant.\(size)", cluster, pool, size, port: proxy.port)
            }
            report("a new node")
            rows += try await newNode(cluster, pool)
            report("another node's view")
            rows.append(try await tail(cluster, pool))
            report("intake over HTTP")
            rows += try await intake(cluster, bodies, roots)
            report("append with a synchronous standby")
            let standby = try PostgresCluster(standbyOf: cluster, named: "standby")
            defer { standby.end() }
            try cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
            try cluster.sql("ALTER SYSTEM SET synchronous_commit = 'remote_apply'")
            try cluster.sql("SELECT pg_reload_conf()")
            rows += try await appends("nodes.synchronous.512", cluster, pool, 512)
            rows += try await appends(
                "nodes.synchronous\(BenchLedger.nodeCount).16", cluster, pool,
                nodes: BenchLedger.nodeCount, 16)
            return rows
        }

        private func engine(
            _ cluster: PostgresCluster, port: UInt16? = nil
        ) throws -> PostgresEngine {
            let url = cluster.url(PostgresCluster.superuser, port: port)
            guard let connection = ConnectionString(url) else { throw BenchProblem.noInput }
            return PostgresEngine(connection, schema: PostgresCluster.newName())
        }

        /// Appends from `nodes` nodes at once, against `pgbench` inserting as many bytes in as
        /// large batches over one connection each.
        ///
        /// - Parameters:
        ///   - port: of a proxy; nil for the server's own.
        ///   - filled: a log that holds events; nil for a new one.
        private func appends(
            _ name: String, _ cluster: PostgresCluster, _ pool: EventPool, nodes: Int = 1,
            _ size: Int, port: UInt16? = nil, filled: PostgresEngine? = nil
        ) async throws -> [BenchRow] {
            let count = size == 1 ? BenchLedger.singleEventCount : BenchLedger.sharedEventCount
            let engine = try filled ?? engine(cluster, port: port)
            var logs: [any LedgerLog] = []
            for _ in 0..<nodes { logs.append(try await engine.openLog(BenchLedger.environment)) }
            let before = try await logs[0].head().position
            let started = ContinuousClock.now
            let latencies = try await withThrowingTaskGroup(of: [Double].self) { group in
                for (number, log) in logs.enumerated() {
                    group.addTask {
                        var latencies: [Double] = []
                        for first in stride(from: number * size, to: count, by: nodes * size) {
                            let batch = (0..<size).map { pool.event(Int(before) + first + $0) }
                            latencies.append(
                                try await BenchLedger.seconds { _ = try await log.append(batch) })
                        }
                        return latencies
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let elapsed = (ContinuousClock.now - started).seconds
            let stored = try await logs[0].head().position - before
            for log in logs { await log.close() }
            let appended = latencies.count * size
            guard stored == appended else { throw BenchProblem.refused }
            let bare = try cluster.bareInserts(
                batchCount: size, byteCount: pool.bodyByteCount + 330, clientCount: nodes)
            return [
                BenchRow(
                    name, Double(appended) / elapsed, "events/s",
                    against: .init("pgbench inserting as many bytes", bare), events: appended),
                .milliseconds("\(name).p50", BenchLedger.median(latencies), events: appended),
                .milliseconds(
                    "\(name).p99", BenchLedger.percentile(latencies, 0.99), events: appended),
            ]
        }

        private func configuration(_ engine: PostgresEngine, _ name: String) -> Configuration {
            var configuration = configuration
            configuration.dataDirectory = "\(folder)/\(name)"
            configuration.database = .init(url: engine.connection.location, schema: engine.schema)
            configuration.database?.engine = engine
            return configuration
        }

        /// Fills a log and opens a node with an empty directory, from nothing to its first answer;
        /// then appends to that log.
        private func newNode(
            _ cluster: PostgresCluster, _ pool: EventPool
        ) async throws -> [BenchRow] {
            let engine = try engine(cluster)
            let ledger = try await EnvironmentLedger.open(
                configuration(engine, "node"), environment: BenchLedger.environment)
            let (count, _) = try await write(to: ledger)
            let (row, _) = try await decode("nodes.new", ledger, count: count)
            await ledger.close()
            return try await [row]
                + appends("nodes.filled.16", cluster, pool, 16, filled: engine)
                + appends("nodes.filled.512", cluster, pool, 512, filled: engine)
        }

        /// How long after its acknowledgement an append is seen by another node that is woken.
        private func tail(_ cluster: PostgresCluster, _ pool: EventPool) async throws -> BenchRow {
            let engine = try engine(cluster)
            let writer = try await engine.openLog(BenchLedger.environment)
            let reader = try await engine.openLog(BenchLedger.environment)
            let (wakes, source) = AsyncStream<Void>.makeStream()
            (reader as? any SharedLog)?.onAppend { source.yield() }
            var latencies: [Double] = []
            for number in 0..<(BenchLedger.singleEventCount / 10) {
                guard let result = try await writer.append([pool.event(number)]).first else {
                    throw BenchProblem.refused
                }
                latencies.append(
                    try await BenchLedger.seconds {
                        while try await reader.head().position < result.position {
                            for await _ in wakes { break }
                        }
                    })
            }
            for log in [writer, reader] { await log.close() }
            return .milliseconds(
                "nodes.tail.p50", BenchLedger.median(latencies), events: latencies.count)
        }

        /// Notifications posted to a node, client, node and database on the same cores.
        private func intake(
            _ cluster: PostgresCluster, _ bodies: [[UInt8]], _ roots: TrustedRoots
        ) async throws -> [BenchRow] {
            var configuration = ServiceConfiguration(
                configuration(try engine(cluster), "served"))
            configuration.server.port = 0
            let host = try await LedgerHost.open(
                configuration, environments: [BenchLedger.environment], roots: roots
            ) { Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1_000)) }
            return try await HTTPBench(
                host: host, chainCount: 0, chains: { _ in "" }, customers: [], bodies: bodies
            ).run().map { row in
                var row = row
                row.name = "nodes.\(row.name)"
                return row
            }
        }
    }
#endif
