import AppStore
import Foundation
import Ledger
import PostgresSupport
import SQLiteStore
import Testing

/// The real binary with a database.
@Suite(
    "Commands with a database",
    .enabled(if: PostgresCluster.isPresent, "PostgreSQL (Debian's postgresql) is not installed"))
struct DatabaseCommandTests {
    /// A workplace with a database of its own for the log.
    private func workplace(_ directory: String = "data") async throws -> (Workplace, url: String) {
        let cluster = try PostgresCluster.sharedForErasures()
        let url = cluster.url(try cluster.makeDatabase())
        let place = try Workplace(options: Evidence.options)
        try place.write(Evidence.lines, to: "in.ndjson")
        return (place, url)
    }

    /// The name of the database in a connection string.
    private static func database(of url: String) -> String {
        url.split(separator: " ").first { $0.hasPrefix("dbname=") }
            .map { String($0.dropFirst("dbname=".count)) } ?? ""
    }

    @Test("What one node ingests another one shows; the variable and the option mean the same")
    func nodes() async throws {
        let (place, url) = try await workplace()
        let taken = try await place.run("ingest", "in.ndjson", "--database", url)
        #expect(taken.code == 0, "\(taken.err)")
        let other = ["show", Evidence.id, "--json", "--bundle-id", Evidence.app, "--trust-root"]
        let shown = try await place.run(
            other + ["root.der", "--data", "other"], variables: ["SUBLEDGER_DATABASE": url])
        #expect(shown.code == 0, "\(shown.err)")
        #expect(try shown.json()["originalTransactionId"]?.string == Evidence.id)
        let audited = try await place.run("audit", "verify", "--json", "--database", url)
        #expect(try audited.json()["sound"] == .bool(true))
        #expect(try audited.json()["events"]?.int64 == Int64(Evidence.lines.count))
        let listed = try await place.run("nodes", "--json", "--database", url)
        #expect(try listed.json()["position"]?.int64 == Int64(Evidence.lines.count))
        // As a node that has not accepted a log that went back.
        try PostgresCluster.sharedForErasures().sql(
            """
            INSERT INTO subledger_production.nodes (id, name, position, seen_at)
            VALUES ('ahead', 'a', 1000000, clock_timestamp())
            """, database: Self.database(of: url))
        let ahead = try await place.run("nodes", "--database", url)
        #expect(ahead.out.contains("log went back"), "\(ahead.out)")
        let doctor = try await place.run("doctor", "--database", url)
        #expect(doctor.out.contains("database: The role is a superuser"))
        #expect(!FileManager.default.fileExists(atPath: place.ledgerFile("log.sqlite")))
    }

    @Test("A log is copied into a database and back, and nothing changes")
    func copies() async throws {
        let (place, url) = try await workplace()
        #expect(try await place.run("ingest", "in.ndjson").code == 0)
        #expect(try await place.run("rebuild", "--environment", "sandbox").code == 0)
        let there = try await place.run("log", "copy", "--json", "--from", "data", "--to", url)
        #expect(there.code == 0, "\(there.err)")
        #expect(there.err.contains("data also holds sandbox: --environment sandbox"))
        let other = try await place.run(
            "log", "copy", "--environment", "sandbox", "--from", "data", "--to", url)
        #expect(other.code == 0 && other.err.contains("also holds production"), "\(other.err)")
        let back = try await place.run("log", "copy", "--json", "--from", url, "--to", "copied")
        #expect(back.code == 0, "\(back.err)")
        #expect(try there.json() == back.json())
        #expect(try there.json()["copied"]?.int64 == Int64(Evidence.lines.count))
        // The old directory becomes a node's, with its derived files.
        let shown = try await place.run("show", Evidence.id, "--json", "--database", url)
        #expect(shown.code == 0 && !shown.err.contains("rebuilt"), "\(shown.err)")
        // And belongs to the database from then on.
        let alone = try await place.run("rebuild")
        #expect(alone.code == 0 || alone.errorCode == "fileForeign")
    }

    @Test("A backup of a database is the same file, and restores into an empty one only")
    func backups() async throws {
        let (place, url) = try await workplace()
        #expect(try await place.run("ingest", "in.ndjson", "--database", url).code == 0)
        let made = try await place.run("backup", "file", "--json", "--database", url)
        #expect(made.code == 0 && !made.err.contains("belongs to no node"), "\(made.err)")
        // A directory that is no node's cannot show that the log went back.
        let elsewhere = ["--data", "elsewhere", "--database", url] + place.options.dropFirst(2)
        let blind = try await place.run(["backup", "blind"] + elsewhere)
        #expect(blind.code == 0 && blind.err.contains("belongs to no node"), "\(blind.err)")
        let (other, second) = try await workplace()
        let file = place.file("file")
        let restored = try await other.run("restore", file, "--json", "--database", second)
        #expect(restored.code == 0, "\(restored.err)")
        #expect(try restored.json()["root"] == made.json()["root"])
        #expect(try restored.json()["positionBefore"]?.int64 == 0)
        #expect(!FileManager.default.fileExists(atPath: other.ledgerFile("log.sqlite")))
        // Again: nothing is missing. Another ledger is not replaced.
        let again = try await other.run("restore", file, "--database", second)
        #expect(again.code == 0, "\(again.err)")
        let (third, foreign) = try await workplace()
        let line = try Evidence.line(
            "SUBSCRIBED", "INITIAL_BUY", 0, at: Evidence.start, id: "700000000000001")
        try third.write([line], to: "other.ndjson")
        #expect(try await third.run("ingest", "other.ndjson", "--database", foreign).code == 0)
        let refused = try await third.run("restore", file, "--database", foreign)
        #expect(refused.errorCode == "fileForeign")
    }

    @Test("Where a database has no log none is copied, backed up, listed or audited, nor made")
    func missing() async throws {
        let (place, url) = try await workplace()
        // The last would find a log that one before it made.
        let copy = ["log", "copy", "--from", url, "--to", "copied"]
        for arguments in [
            copy, ["backup", "file", "--database", url], ["nodes", "--database", url],
            ["log", "erasures", "--database", url], ["audit", "verify", "--database", url], copy,
        ] {
            let outcome = try await place.run(arguments + place.options)
            #expect(outcome.errorCode == "noLog" && outcome.code == 1, "\(outcome.err)")
        }
        #expect(!FileManager.default.fileExists(atPath: place.file("file")))
    }

    @Test("A table that a database lacks is a finding of an audit, and named")
    func missingTable() async throws {
        let (place, url) = try await workplace()
        #expect(try await place.run("ingest", "in.ndjson", "--database", url).code == 0)
        try PostgresCluster.sharedForErasures().sql(
            "DROP TABLE subledger_production.evidence", database: Self.database(of: url))
        for options in [[], ["--signatures"]] {
            let verify = ["audit", "verify", "--database", url] + options + place.options
            let json = try await place.run(verify + ["--json"])
            #expect(json.code == 1, "\(json.err)")
            #expect(try json.json()["findings"]?.array?.first?["table"]?.string == "evidence")
            let text = try await place.run(verify)
            #expect(text.code == 1 && text.out.contains("NOT SOUND"), "\(text.err)")
            #expect(text.out.contains("BAD  fileDamaged: the table evidence is missing\n"))
        }
    }

    @Test("Checkpoints go into a database with the log, into its backup, and into another one")
    func checkpoints() async throws {
        let (place, url) = try await workplace()
        let (_, second) = try await workplace()
        let origin = "example.com/subledger/production"
        let keygen = ["audit", "keygen", "--origin", origin, "audit.key"]
        #expect(try await place.run(keygen).code == 0)
        try place.write(
            [
                "dataDirectory: data", "apps: [{ bundleId: \(Evidence.app) }]",
                "trustedRoots: [root.der]", "audit: { origin: \(origin), keyFile: audit.key }",
            ], to: "subledger.yaml")
        let options = ["--config", "subledger.yaml", "--json"]
        func run(_ arguments: String...) async throws -> Outcome {
            let outcome = try await place.run(arguments + options)
            #expect(outcome.code == 0, "\(arguments): \(outcome.err)")
            return outcome
        }
        _ = try await run("ingest", "in.ndjson")
        let note = try await run("audit", "checkpoint").json()["note"]
        for outcome in [
            try await run("log", "copy", "--from", "data", "--to", url),
            try await run("audit", "verify", "--database", url),
        ] { #expect(try outcome.json()["checkpoints"]?["signed"]?.int64 == 1) }
        let made = try await run("backup", "file", "--database", url)
        #expect(try made.json()["checkpointCount"]?.int64 == 1)
        let node = ["restore", "file", "--data", "node", "--database", second]
        let restored = try await place.run(node + options)
        #expect(restored.code == 0, "\(restored.err)")
        #expect(try restored.json()["checkpoints"]?["signed"]?.int64 == 1)
        let again = try await run("audit", "checkpoint", "--data", "node", "--database", second)
        #expect(try again.json()["note"] == note)
    }

    @Test("Backfills and migrations give their lease back, and none runs beside another node's")
    func backfills() async throws {
        let cluster = try PostgresCluster.sharedForErasures()
        let database = try cluster.makeDatabase()
        let url = cluster.url(database)
        @Sendable func setLease(until end: String, in environment: String = "production") throws {
            try cluster.sql(
                """
                UPDATE subledger_\(environment).leases
                SET holder = 'another', token = 1, until = \(end) WHERE name = 'backfill'
                """, database: database)
        }
        try await APICommandTests().serving { place, ids in
            let list = try place.write([ids[0]], to: "ids")
            _ = try MigrateCommandTests().store(1, in: place)
            let backfill = ["backfill", list, "--database", url]
            let migrate = ["migrate-from", "verify-receipt", "stored", "--database", url]
            let other = ["--data", "other"] + place.options.dropFirst(2)
            let runs = [
                backfill + place.options, backfill + other, migrate + place.options,
                migrate + other, backfill + place.options,
            ]
            for arguments in runs {
                let outcome = try await place.run(arguments)
                #expect(outcome.code == 0, "\(outcome.err)")
            }
            /// Runs while another node holds the lease, and renews it.
            func refused(_ arguments: [String], in environment: String) async throws {
                @Sendable func hold() throws {
                    try setLease(until: "clock_timestamp() + interval '19 s'", in: environment)
                }
                try hold()
                let holder = Task {
                    while (try? await Task.sleep(for: .seconds(1))) != nil { try hold() }
                }
                defer { holder.cancel() }
                let outcome = try await place.run(arguments + place.options)
                #expect(outcome.code == 74, "\(outcome.err)")
                #expect(outcome.errorCode == "backfillRunning", "\(outcome.err)")
                holder.cancel()
                try await holder.value
            }
            for arguments in [backfill, migrate] {
                try await refused(arguments, in: "production")
            }
            try setLease(until: "clock_timestamp()")
            // Without --environment it may append to Sandbox's ledger, too.
            try await refused(backfill, in: "sandbox")
            let named = ["--environment", "production"]
            for arguments in [backfill + named, migrate] {
                let free = try await place.run(arguments + place.options)
                #expect(free.code == 0, "\(free.err)")
            }
        }
    }

    @Test("A person is erased from the database and from every node")
    func erased() async throws {
        let (place, url) = try await workplace()
        let other = "700000000000001"
        let lines =
            Evidence.lines + [
                try Evidence.line(
                    "SUBSCRIBED", "INITIAL_BUY", 0, at: Evidence.start + 4_000, id: other)
            ]
        try place.write(lines, to: "in.ndjson")
        #expect(try await place.run("ingest", "in.ndjson", "--database", url).code == 0)
        let node = ["--data", "node", "--database", url] + place.options.dropFirst(2)
        #expect(try await place.run(["show", Evidence.id] + node).code == 0)
        let cluster = try PostgresCluster.sharedForErasures()
        let database = Self.database(of: url)
        #expect(try !cluster.relations(of: database, holding: Evidence.id).isEmpty)
        // The planner's statistics hold samples of columns.
        try cluster.sql("ANALYZE", database: database)
        let erase = try await place.run(
            "erase", "--chain", Evidence.id, "--by", "dpo", "--reason", "asked", "--yes",
            "--database", url)
        #expect(erase.code == 0, "\(erase.err)")
        // Rows that a transaction of the server's own may still read are left for the next run.
        let finish = [
            "erase", "--chain", Evidence.id, "--by", "dpo", "--reason", "asked", "--yes",
            "--database", url,
        ]
        var left = try cluster.relations(of: database, holding: Evidence.id)
        for _ in 0..<20 where !left.isEmpty {
            #expect(try await place.run(finish + place.options).code == 0)
            left = try cluster.relations(of: database, holding: Evidence.id)
        }
        #expect(left == [])
        #expect(try await place.run("audit", "verify", "--database", url).code == 0)
        #expect(try await place.run("rebuild", "--check", "--database", url).code == 0)
        // The other node finds the erasure when it catches up.
        for _ in 0..<2 {
            let shown = try await place.run(["show", Evidence.id] + node)
            #expect(shown.err.contains("noSuchSubscription"), "\(shown.err)")
        }
        #expect(try await place.run(["show", other] + node).code == 0)
        for directory in ["data/production", "node/production"] {
            for name in try FileManager.default.contentsOfDirectory(atPath: place.file(directory)) {
                guard
                    let data = FileManager.default.contents(
                        atPath: place.file("\(directory)/\(name)"))
                else { continue }
                #expect(data.range(of: Data(Evidence.id.utf8)) == nil, "\(directory)/\(name)")
            }
        }
        let again = try await place.run("ingest", "in.ndjson", "--json", "--database", url)
        #expect(try again.json()["duplicates"]?.int64 == 5)
    }

    @Test("A restore states as erased again only what the database lacked")
    func erasedAgain() async throws {
        let (place, url) = try await workplace()
        #expect(try await place.run("ingest", "in.ndjson", "--database", url).code == 0)
        #expect(try await place.run("backup", "old", "--database", url).code == 0)
        let erase = ["erase", "--chain", Evidence.id, "--by", "dpo", "--reason", "asked", "--yes"]
        #expect(try await place.run(erase + place.options + ["--database", url]).code == 0)
        let records = try await place.run("log", "erasures", "--database", url)
        try place.write(Data(records.out.utf8), to: "erasures")
        let (_, empty) = try await workplace()
        for (target, node, count) in [(url, "a", 0), (empty, "b", 1), (empty, "b", 0)] {
            let outcome = try await place.run(
                ["restore", "old", "--erasures", "erasures", "--json", "--data", node]
                    + place.options.dropFirst(2) + ["--database", target])
            #expect(outcome.code == 0, "\(outcome.err)")
            #expect(try outcome.json()["erasedAgain"]?.int64 == Int64(count), "\(outcome.out)")
        }
    }

    @Test("A role that does not own the tables erases nothing, not even what it may delete")
    func unowned() async throws {
        let (place, url) = try await workplace()
        let foreign = try Evidence.line("DID_RENEW", nil, 1, at: Evidence.start, app: "com.other")
        try place.write(Evidence.lines + [foreign], to: "in.ndjson")
        _ = try await place.run("ingest", "in.ndjson", "--database", url)
        let cluster = try PostgresCluster.sharedForErasures()
        let (database, writer) = (Self.database(of: url), PostgresCluster.newName())
        try cluster.sql(
            """
            CREATE ROLE \(writer) LOGIN; GRANT USAGE ON SCHEMA subledger_production TO \(writer);
            GRANT SELECT, INSERT, UPDATE, DELETE
                ON ALL TABLES IN SCHEMA subledger_production TO \(writer)
            """, database: database)
        let count = "SELECT count(*) FROM subledger_production.quarantine"
        #expect(try cluster.sql(count, database: database) == "1")
        let erase = ["erase", "--chain", Evidence.id, "--by", "dpo", "--reason", "asked", "--yes"]
        let refused = try await place.run(
            erase + place.options + ["--database", "\(url) user=\(writer)"])
        #expect(refused.errorCode == "databaseRefused", "\(refused.err)")
        #expect(refused.err.contains("this call erased nothing"), "\(refused.err)")
        #expect(try cluster.sql(count, database: database) == "1")
        let erased = try await place.run(erase + place.options + ["--database", url])
        #expect(erased.code == 0, "\(erased.err)")
        #expect(try cluster.sql(count, database: database) == "0")
    }

    @Test("What is wrong with a database is one sentence, without the password")
    func refusals() async throws {
        let (place, _) = try await workplace()
        let wrong = [
            ("postgresql://log:hidden@127.0.0.1:1/db", "databaseUnavailable"),
            ("postgresql://log:hidden@[", "invalidValue"), ("hidden hidden", "invalidValue"),
        ]
        for (url, code) in wrong {
            for arguments in [["ingest", "in.ndjson"], ["doctor"]] {
                let outcome = try await place.run(arguments + place.options + ["--database", url])
                #expect(outcome.code != 0)
                #expect(!outcome.err.contains("hidden") && !outcome.out.contains("hidden"))
                if arguments != ["doctor"] { #expect(outcome.errorCode == code) }
                #expect(outcome.err.split(separator: "\n").count <= 1)
            }
        }
        #expect(!FileManager.default.fileExists(atPath: place.file("data/production")))
        // Of a service that has not started, too, the remedy is true.
        let served = try await place.run("serve", "--port", "0", "--database", wrong[0].0)
        #expect(served.errorCode == "databaseUnavailable")
        #expect(served.err.contains("start anything else again"), "\(served.err)")
        let nodes = try await place.run("nodes")
        #expect(nodes.errorCode == "noDatabase" && nodes.code == 64)
    }

    @Test("A log that went back is refused until it is accepted")
    func accepted() async throws {
        let (place, url) = try await workplace()
        #expect(try await place.run("ingest", "in.ndjson", "--database", url).code == 0)
        #expect(try await place.run("show", Evidence.id, "--database", url).code == 0)
        let cluster = try PostgresCluster.sharedForErasures()
        let database = Self.database(of: url)
        // As restored from a backup of the empty log.
        try cluster.sql(
            """
            SET search_path = subledger_production;
            ALTER TABLE events DISABLE TRIGGER USER; ALTER TABLE evidence DISABLE TRIGGER USER;
            DELETE FROM events; DELETE FROM evidence;
            ALTER TABLE events ENABLE TRIGGER USER; ALTER TABLE evidence ENABLE TRIGGER USER;
            UPDATE head SET position = 0, tree = '', newest_received_at = NULL,
                root = '\\xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
            """, database: database)
        let refused = try await place.run("ingest", "in.ndjson", "--database", url)
        #expect(refused.errorCode == "logWentBack", "\(refused.err)")
        #expect(refused.err.contains("log accept --environment production"))
        let backup = try await place.run("backup", "b", "--database", url)
        #expect(backup.errorCode == "logWentBack", "\(backup.err)")
        #expect(try await place.run("nodes", "--database", url).code == 0)
        let audited = try await place.run("audit", "verify", "--json", "--database", url)
        #expect(audited.code == 1, "\(audited.err)")
        #expect(try audited.json()["projectionsMatch"]?.bool == false)
        // As a service that runs has it open.
        let facts = try await FactsStore.open(
            place.ledgerFile("facts-\(Fact.decoderVersion).sqlite"))
        let running = try await place.run("log", "accept", "--database", url)
        #expect(running.errorCode == "fileInUse", "\(running.err)")
        try facts.close()
        // In another directory nothing is accepted: this node would still refuse the log.
        let elsewhere = ["--data", "elsewhere", "--database", url] + place.options.dropFirst(2)
        let nothing = try await place.run(["log", "accept"] + elsewhere)
        #expect(nothing.code == 1 && nothing.errorCode == "noSuchFile", "\(nothing.err)")
        #expect(!FileManager.default.fileExists(atPath: place.file("elsewhere")))
        let accepted = try await place.run("log", "accept", "--database", url)
        #expect(accepted.code == 0, "\(accepted.err)")
        #expect(try await place.run("ingest", "in.ndjson", "--database", url).code == 0)
        #expect(try await place.run("show", Evidence.id, "--database", url).code == 0)
    }
}
