import AppStore
import Foundation
import Testing

@Suite("subledger backup and restore")
struct BackupCommandTests {
    private func other(_ place: Workplace) -> [String] {
        ["--data", "other"] + place.options.dropFirst(2)
    }

    @Test("A backup reports its contents; restored elsewhere it gives the same answers")
    func both() async throws {
        let place = try await Workplace.taken()
        let backup = try await place.run("backup", "a.backup", "--json")
        #expect(backup.code == 0)
        let reported = try backup.json()
        #expect(
            reported.object?.map(\.key) == [
                "file", "environment", "position", "root", "byteCount", "databaseSha256",
                "checkpointCount", "checkpointsFailure",
            ])
        #expect(reported["position"]?.int64 == 4)
        let size = try Data(contentsOf: URL(filePath: place.file("a.backup"))).count
        #expect(reported["byteCount"]?.int64 == Int64(size))
        let restore = try await place.run(
            ["restore", "a.backup", "--json"] + other(place))
        #expect(restore.code == 0)
        let back = try restore.json()
        #expect(back["erasuresUnknown"]?.bool == true)
        #expect(
            back.object?.map(\.key) == [
                "file", "environment", "positionBefore", "position", "root", "setAside",
                "erasedAgain", "erasuresUnknown", "checkpointsRefused", "checkpoints",
            ])
        #expect(back["checkpoints"]?.isNull == true)
        #expect(back["root"] == reported["root"])
        #expect(back["positionBefore"]?.isNull == true)
        let audit = try await place.run(["audit", "verify", "--signatures"] + other(place))
        #expect(audit.code == 0)
        #expect(try await place.run(["rebuild", "--check"] + other(place)).code == 0)
        let question = ["export", "subscriptions", "--at", "2026-03-01T00:00:00.000Z"]
        let answer = try await place.run(question + place.options)
        #expect(try await place.run(question + other(place)).out == answer.out)
        #expect(answer.code == 0)
    }

    @Test("Both print what they did; a backup is readable by its owner only")
    func text() async throws {
        let place = try await Workplace.taken()
        let backup = try await place.run("backup", "a.backup")
        #expect(backup.out.hasPrefix("backed up 4 events of Production into a.backup: "))
        let attributes = try FileManager.default.attributesOfItem(atPath: place.file("a.backup"))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let restore = try await place.run("restore", "a.backup", "--replace")
        #expect(restore.out.contains("restored Production from a.backup: 4 events"))
        #expect(restore.out.contains("the log there ended at position 4"))
        #expect(!restore.out.contains("warning:"), "\(restore.out)")
        #expect(restore.out.contains("the replaced log is kept as data/production/log-replaced-"))
    }

    @Test("Where operational state cannot be read the log is backed up, and the report says so")
    func withoutOperations() async throws {
        let place = try await Workplace.taken()
        let path = place.file("data/production/operations.sqlite")
        try Data("not a database, but long enough to be read as the header of one".utf8).write(
            to: URL(filePath: path))
        let backup = try await place.run("backup", "a.backup", "--json")
        #expect(backup.code == 0)
        let reported = try backup.json()
        #expect(reported["position"]?.int64 == 4 && reported["checkpointCount"]?.int64 == 0)
        #expect(reported["checkpointsFailure"]?.isNull == false)
        let again = try await place.run("backup", "b.backup")
        #expect(again.out.contains("\nwarning: the checkpoints are left out: "), "\(again.out)")
        let restored = try await place.run(["restore", "a.backup"] + other(place))
        #expect(restored.code == 0 && restored.out.contains("\nwarning: erasures since"))
    }

    @Test("Where a checkpoint is refused, restore and log copy count it with exit code 1")
    func refusedCheckpoint() async throws {
        // given: two copies of one log, each signed under an origin of its own
        let place = try await Workplace.taken()
        #expect(try await place.run("backup", "unsigned.backup").code == 0)
        #expect(try await place.run(["restore", "unsigned.backup"] + other(place)).code == 0)
        for (name, options) in [("one", place.options), ("two", other(place))] {
            let origin = "example.com/\(name)"
            let made = try await place.run(
                ["audit", "keygen", "--origin", origin, "\(name).key"])
            #expect(made.code == 0, "\(made.err)")
            try place.write(
                ["audit: { origin: \(origin), keyFile: \(name).key }"], to: "\(name).yaml")
            let signed = try await place.run(
                ["audit", "checkpoint", "--config", "\(name).yaml"] + options)
            #expect(signed.code == 0, "\(signed.err)")
        }
        #expect(try await place.run("backup", "signed.backup").code == 0)
        // when
        let configured = ["--config", "two.yaml", "--json"]
        let restored = try await place.run(
            ["restore", "signed.backup", "--replace"] + configured + other(place))
        let copied = try await place.run(
            ["log", "copy", "--from", "data", "--to", "other"] + configured + place.options)
        // then: the log extends the checkpoint that stays
        for outcome in [restored, copied] {
            #expect(outcome.code == 1, "\(outcome.err)")
            let report = try outcome.json()
            #expect(report["checkpointsRefused"]?.int64 == 1)
            #expect(report["checkpoints"]?["compared"]?.int64 == 1)
            #expect(report["checkpoints"]?["findings"]?.array == [])
        }
    }

    @Test("A log that was begun anew knows no more of erasures than none")
    func begunAnew() async throws {
        let place = try await Workplace.taken()
        #expect(try await place.run("backup", "a.backup").code == 0)
        try place.write([], to: "empty.ndjson")
        #expect(try await place.run(["ingest", "empty.ndjson"] + other(place)).code == 0)
        let replaced = try await place.run(["restore", "a.backup", "--replace"] + other(place))
        #expect(replaced.out.contains("position 0\nwarning: erasures since"), "\(replaced.out)")
        // Longer than the backup, with another first event.
        let first = try Evidence.line(
            "SUBSCRIBED", "INITIAL_BUY", 0, at: Evidence.start + 4_000, id: "700000000000001")
        try place.write([first] + Evidence.lines, to: "anew.ndjson")
        let third = ["--data", "third"] + place.options.dropFirst(2)
        #expect(try await place.run(["ingest", "anew.ndjson"] + third).code == 0)
        let anew = try await place.run(["restore", "a.backup", "--replace"] + third)
        #expect(anew.out.contains("position 5\nwarning: erasures since"), "\(anew.out)")
        let known = try await place.run("restore", "a.backup", "--replace", "--json")
        #expect(known.code == 0, "\(known.err)")
        #expect(try known.json()["erasuresUnknown"]?.bool == false)
    }

    @Test("Where there is no log no erasures are listed; an empty list leaves the warning")
    func noErasures() async throws {
        let place = try await Workplace.taken()
        let none = try await place.run(["log", "erasures"] + other(place))
        #expect(none.code == 1 && none.errorCode == "noLog", "\(none.err)")
        #expect(none.out.isEmpty && !FileManager.default.fileExists(atPath: place.file("other")))
        #expect(try await place.run("backup", "a.backup").code == 0)
        try place.write([], to: "erasures.ndjson")
        let restored = try await place.run(
            ["restore", "a.backup", "--erasures", "erasures.ndjson"] + other(place))
        #expect(restored.code == 0, "\(restored.err)")
        #expect(restored.out.contains("\nwarning: erasures since"), "\(restored.out)")
    }

    @Test("No existing file is replaced; without a log there is nothing to back up")
    func refusedBackup() async throws {
        let place = try await Workplace.taken()
        let exists = try await place.run("backup", "in.ndjson")
        #expect(exists.code == 74)
        #expect(exists.errorCode == "backupExists")
        let none = try await place.run(["backup", "b"] + other(place))
        #expect(none.code == 1)
        #expect(none.errorCode == "noLog")
        #expect(!FileManager.default.fileExists(atPath: place.file("other")))
    }

    @Test("What cannot be restored is refused with a code, and the existing log stays")
    func refusedRestore() async throws {
        let place = try await Workplace.taken()
        #expect(try await place.run("backup", "a.backup").code == 0)
        let whole = try Data(contentsOf: URL(filePath: place.file("a.backup")))
        var flipped = whole
        flipped[whole.count / 2] ^= 1
        try place.write(flipped, to: "flipped.backup")
        let cases: [(arguments: [String], code: Int32, error: String)] = [
            (["a.backup"], 74, "logExists"),
            (["none.backup", "--replace"], 74, "backupUnreadable"),
            (["in.ndjson", "--replace"], 1, "backupForeign"),
            (["flipped.backup", "--replace"], 1, "backupDamaged"),
            (["a.backup", "--replace", "--environment", "sandbox"], 1, "backupEnvironment"),
        ]
        for (arguments, code, error) in cases {
            let outcome = try await place.run(["restore"] + arguments + place.options)
            #expect(outcome.code == code, "\(arguments)")
            #expect(outcome.errorCode == error, "\(arguments)")
            #expect(outcome.out.isEmpty)
        }
        let audit = try await place.run("audit", "verify", "--json")
        #expect(try audit.json()["position"]?.int64 == 4)
    }

    @Test("While another process has the log open, it is not replaced")
    func inUse() async throws {
        let place = try await Workplace.taken()
        #expect(try await place.run("backup", "a.backup").code == 0)
        let descriptor = open(place.ledgerFile("log.sqlite"), O_RDONLY | O_CLOEXEC)
        #expect(descriptor >= 0)
        let outcome = try await place.run("restore", "a.backup", "--replace")
        #expect(outcome.code == 74)
        #expect(outcome.errorCode == "logInUse")
        close(descriptor)
        #expect(try await place.run("restore", "a.backup", "--replace").code == 0)
    }
}
