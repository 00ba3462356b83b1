import AppStore
import Foundation
import SQLiteStore
import Simulator
import TestSupport
import Testing

@Suite("subledger erase", .serialized)
struct EraseCommandTests {
    private static let other = "700000000000001"
    private static let order = ["--by", "dpo", "--reason", "asked on 2026-05-01"]
    private static let erase = ["erase", "--chain", Evidence.id] + order

    private static func lines() throws -> [String] {
        Evidence.lines + [
            try Evidence.line(
                "SUBSCRIBED", "INITIAL_BUY", 0, at: Evidence.start + 4_000, id: other)
        ]
    }

    /// A place whose ledger has taken these lines in.
    private func taken() async throws -> Workplace { try await Self.shared.value.copied() }

    private static let shared = Task { try await Workplace.taken(lines(), in: .shared()) }

    /// The files of the ledger that hold the person's ids.
    private func traces(_ place: Workplace) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: place.file("data/production"))
        return try names.filter { name in
            let path = place.ledgerFile(name)
            guard FileManager.default.fileExists(atPath: path) else { return false }
            return try Data(contentsOf: URL(filePath: path))
                .range(of: Data(Evidence.id.utf8)) != nil
        }
    }

    private func requireErased(_ place: Workplace) async throws {
        #expect(try traces(place).isEmpty)
        #expect(try await place.run("show", Evidence.id).err.contains("noSuchSubscription"))
        #expect(try await place.run("show", Self.other).code == 0)
        #expect(try await place.run("audit", "verify", "--signatures").code == 0)
        #expect(try await place.run("rebuild", "--check").code == 0)
        let churn = try await place.run(
            "churn", "--from", "2026-01-01", "--to", "2026-06-01", "--json")
        let churned = try churn.json()["rows"]?.array?.compactMap { $0["churned"]?["total"]?.int64 }
        #expect(churned?.reduce(0, +) == 2, "\(churn.out)")
    }

    @Test("A dry run shows what would go; it takes --yes to erase")
    func dryRun() async throws {
        let place = try await taken()
        let neither = try await place.run(Self.erase + place.options)
        #expect(neither.code == 64 && neither.err.contains("--dry-run"))
        let nothing = try await place.run(["erase", "--yes"] + Self.order + place.options)
        #expect(nothing.code == 64)
        for arguments in [["--dry-run"], ["--dry-run", "--yes"]] {
            let dry = try await place.run(Self.erase + arguments + place.options)
            #expect(dry.code == 0 && dry.out.contains("4 events would be erased"), "\(dry.err)")
            #expect(dry.out.contains(Evidence.id) && dry.out.contains("#1 #2 #3 #4"))
        }
        #expect(try await place.run("show", Evidence.id).code == 0)
        let unknown = try await place.run(
            ["erase", "--chain", "1", "--yes"] + Self.order + place.options)
        #expect(unknown.code == 1 && unknown.err.contains("noSuchSubscription"))
    }

    @Test("Erased, and erased again, by any of its ids and by its last one")
    func erased() async throws {
        let place = try await taken()
        let done = try await place.run(
            Self.erase + ["--chain", "\(Evidence.id)1", "--yes", "--json"] + place.options)
        #expect(done.code == 0, "\(done.err)")
        // Were it killed, the other id would name nothing, and fail the same command.
        let repetition = "repeat the command with --chain \(Evidence.id) in place of its --chain"
        #expect(done.err.contains("\(repetition) options.\n"), "\(done.err)")
        let erasure = try done.json()["erasure"]
        #expect(erasure?["position"]?.int64 == 6)
        #expect(
            erasure?["plan"]?["positions"]?.array?.compactMap(\.int64) == [1, 2, 3, 4])
        #expect(try traces(place).isEmpty)
        let again = try await place.run(Self.erase + ["--yes"] + place.options)
        #expect(again.code == 0 && again.out.contains("erased before, at position 6"))
        #expect(!again.err.contains("repeat the command"))
        // The same data again brings nothing back.
        let ingest = try await place.run("ingest", "in.ndjson", "--json")
        #expect(try ingest.json()["duplicates"]?.int64 == 5)
        try await requireErased(place)
    }

    @Test("By an id that is erased the same command finishes it under its key, and only there")
    func repeatedByAlias() async throws {
        let place = try await taken()
        let plain = ["erase", "--chain", "\(Evidence.id)1", "--yes"] + Self.order + place.options
        let keyed = plain + ["--idempotency-key", "k"]
        let done = try await place.run(keyed)
        #expect(done.code == 0, "\(done.err)")
        #expect(done.out.contains("chain \(Evidence.id) of \(Evidence.app)\n"))
        let again = try await place.run(keyed)
        #expect(again.code == 0 && again.out.contains("erased before, at position 6"))
        // It may as well be mistyped.
        #expect(again.out.contains("they name nothing now: \(Evidence.id)1."), "\(again.out)")
        let keyless = try await place.run(plain)
        #expect(keyless.code == 1 && keyless.errorCode == "noSuchSubscription")
        let other = try await place.run(
            ["erase", "--chain", Self.other, "--yes", "--idempotency-key", "k"] + Self.order
                + place.options)
        #expect(other.code == 1 && other.errorCode == "idempotencyKeyReused", "\(other.err)")
        #expect(try await place.run("show", Self.other).code == 0)
    }

    @Test("A derived file that another process reads is named, and goes with the same command")
    func readElsewhere() async throws {
        let place = try await taken()
        let name = try FileManager.default.destinationOfSymbolicLink(
            atPath: place.ledgerFile("projections.sqlite"))
        let reader = try await ProjectionsStore.open(place.ledgerFile(name))
        _ = try await reader.checkpoint()
        let left = try await place.run(Self.erase + ["--yes"] + place.options)
        #expect(left.code == 74 && left.errorCode == "fileLocked", "\(left.err)")
        #expect(left.err.contains(name) && left.out.contains("erased 4 events"))
        #expect(left.err.contains("name the chains by \(Evidence.id)."))
        #expect(FileManager.default.fileExists(atPath: place.ledgerFile(name)))
        try reader.close()
        let again = try await place.run(Self.erase + ["--yes"] + place.options)
        #expect(again.code == 0 && again.out.contains("erased before, at position 6"))
        #expect(!FileManager.default.fileExists(atPath: place.ledgerFile(name)))
        try await requireErased(place)
    }

    @Test("A backup made before is erased again when it is restored, from the log or a file")
    func restored() async throws {
        let lines = try Self.lines()
        let place = try await Workplace.taken([lines[0], lines[4]])
        #expect(try await place.run("backup", "old.backup").code == 0)
        try place.write(lines, to: "in.ndjson")
        #expect(try await place.run("ingest", "in.ndjson").code == 0)
        for customer in ["c-1", "c-2"] {
            let link = ["link", Evidence.id, customer] + Self.order
            #expect(try await place.run(link + place.options).code == 0)
        }
        let before = try await place.run("export", "facts")
        #expect(try await place.run(Self.erase + ["--yes"] + place.options).code == 0)
        let records = try await place.run("log", "erasures")
        #expect(!records.out.contains(Evidence.id))
        try place.write(Data(records.out.utf8), to: "erasures.ndjson")
        let back = try await place.run("restore", "old.backup", "--replace")
        #expect(back.code == 0 && back.out.contains("erased again: 1"), "\(back.err)")
        // Every fact is there, also of the events after the backup.
        let after = try await place.run("export", "facts")
        #expect(after.out.split(separator: "\n").count == before.out.split(separator: "\n").count)
        for name in try FileManager.default.contentsOfDirectory(
            atPath: place.file("data/production")) where name.hasPrefix("log-replaced")
        {
            try FileManager.default.removeItem(atPath: place.ledgerFile(name))
        }
        #expect(try traces(place).isEmpty)
        // What came after the backup comes again, and is known.
        let again = try await place.run("ingest", "in.ndjson", "--json")
        #expect(try again.json()["duplicates"]?.int64 == 5, "\(again.out)")
        try await requireErased(place)
        // The disk was lost: only the file knows.
        let other = ["--data", "other"] + place.options.dropFirst(2)
        let plain = try await place.run(["restore", "old.backup"] + other)
        #expect(plain.code == 0 && !plain.out.contains("erased again"))
        let applied = try await place.shell(
            "cat erasures.ndjson | \"$0\" restore old.backup --replace --erasures /dev/stdin "
                + other.joined(separator: " "))
        #expect(applied.code == 0 && applied.out.contains("erased again: 1"), "\(applied.err)")
        #expect(
            try await place.run(["show", Evidence.id] + other).err.contains("noSuchSubscription"))
        #expect(try await place.run(["audit", "verify"] + other).code == 0)
        // Of another ledger, or no erasures at all.
        let foreign = try await Workplace.taken(try Self.lines().reversed())
        try foreign.write(Data(records.out.utf8), to: "erasures.ndjson")
        #expect(try await foreign.run("backup", "b.backup").code == 0)
        let refused = try await foreign.run(
            "restore", "b.backup", "--replace", "--erasures", "erasures.ndjson")
        #expect(refused.code == 74 && refused.err.contains("fileForeign"), "\(refused.err)")
        let senseless = try await foreign.run(
            "restore", "b.backup", "--replace", "--erasures", "in.ndjson")
        #expect(senseless.code == 64 && senseless.err.contains("--erasures"))
        let absent = try await foreign.run(
            "restore", "b.backup", "--replace", "--erasures", "none.ndjson")
        #expect(absent.code == 74 && absent.errorCode == "unreadableFile", "\(absent.err)")
    }

    @Test("Killed at any time, it is undone or done, and the same command finishes it")
    func killed() async throws {
        let kills = try KillPlace(lines: try Self.lines())
        var random = SeededGenerator(seed: kills.seed)
        let arguments = Self.erase + ["--yes"]
        let trial = try KillPlace(lines: try Self.lines())
        #expect(try await trial.run(["ingest", "all.ndjson"]).code == 0)
        let whole = try await trial.duration(arguments)
        for _ in 0..<Soak.count(1, soak: 3 * KillPlace.rounds) {
            try? FileManager.default.removeItem(atPath: kills.place.file("data"))
            #expect(try await kills.run(["ingest", "all.ndjson"]).code == 0)
            for _ in 0..<2 { _ = try await kills.kill(arguments, within: whole, &random) }
            let position = try await kills.requireSound()
            #expect(position == 5 || position == 6, kills.hint)
            let done = try await kills.run(arguments)
            #expect(done.code == 0, "\(done.err) \(kills.hint)")
            #expect(try await kills.requireSound() == 6, kills.hint)
            #expect(try traces(kills.place).isEmpty, kills.hint)
        }
    }

    @Test("Proofs of others hold; the erased life is proven by its erasure")
    func proofs() async throws {
        let place = try await Self.shared.value.copied(options: ["--config", "subledger.yaml"])
        let origin = "example.com/subledger/production"
        let keygen = ["audit", "keygen", "--origin", origin, "audit.key"]
        #expect(try await place.run(keygen).code == 0)
        try place.write(
            [
                "dataDirectory: data", "apps: [{ bundleId: \(Evidence.app) }]",
                "trustedRoots: [root.der]",
                "audit: { origin: \(origin), keyFile: audit.key, interval: PT1M }",
            ], to: "subledger.yaml")
        let checkpoint = try await place.run("audit", "checkpoint")
        try place.write(Data(checkpoint.out.utf8), to: "old.checkpoint")
        for (id, file) in [(Self.other, "other.json"), (Evidence.id, "mine.json")] {
            #expect(try await place.run("audit", "prove", id, "-o", file).code == 0)
        }
        #expect(try await place.run(Self.erase + ["--yes"] + place.options).code == 0)
        // Old bundles still verify: they hold their own evidence.
        for file in ["other.json", "mine.json"] {
            let check = try await place.run(["audit", "check", file, "--trust-root", "root.der"])
            #expect(check.code == 0, "\(file): \(check.out)\(check.err)")
        }
        let audit = try await place.run("audit", "verify", "--against", "old.checkpoint")
        #expect(audit.code == 0, "\(audit.out)\(audit.err)")
        let subscriptions = try await place.run("export", "subscriptions")
        let name = try #require(
            subscriptions.out.split(separator: "\n").lazy
                .compactMap { try? JSONValue.parse(Array($0.utf8)) }
                .compactMap { $0["originalTransactionId"]?.string }
                .first { $0.hasPrefix("erased-") })
        for id in [name, Self.other] {
            let prove = try await place.run("audit", "prove", id, "-o", "new.json")
            #expect(prove.code == 0, "\(prove.err)")
            let check = try await place.run(
                ["audit", "check", "new.json", "--trust-root", "root.der"])
            #expect(check.code == 0, "\(check.out)\(check.err)")
        }
        let tombstone = try await place.run("audit", "prove", "--position", "1", "-o", "no.json")
        #expect(tombstone.code == 1 && tombstone.err.contains("erased"), "\(tombstone.err)")
        let unknown = try await place.run("audit", "prove", Evidence.id, "-o", "no.json")
        #expect(unknown.code == 1 && unknown.err.contains("noSuchSubscription"))
        // A new life under the old id is marked, and its bundle holds the erasure.
        let later = try Evidence.line(
            "SUBSCRIBED", "RESUBSCRIBE", 5, at: Evidence.start + 5 * Evidence.month + 1)
        try place.write([later], to: "later.ndjson")
        #expect(try await place.run("ingest", "later.ndjson").code == 0)
        #expect(try await place.run("show", Evidence.id, "--json").out.contains("erasedBefore"))
        #expect(
            try await place.run("audit", "prove", Evidence.id, "-o", "later.json").code == 0)
        let check = try await place.run(
            ["audit", "check", "later.json", "--trust-root", "root.der"])
        #expect(check.code == 0, "\(check.out)\(check.err)")
    }
}
