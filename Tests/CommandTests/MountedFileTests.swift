import AppStore
import Testing

/// Runs commands in a mount namespace of their own.
private enum MountedRun {
    /// Runs a shell script in a separate mount namespace, in the place's directory, with the binary
    /// as `$0` and the arguments as `$@`.
    static func run(
        _ script: String, _ arguments: [String], in place: Workplace
    ) async throws -> Outcome {
        try await place.program(
            "/usr/bin/unshare", ["-m", "sh", "-c", script, Workplace.binary] + arguments)
    }

    static func isPossible() async -> Bool {
        guard let place = try? Workplace() else { return false }
        let script = "mkdir -p probe && mount -t tmpfs -o size=64k tmpfs probe"
        return (try? await run(script, [], in: place))?.code == 0
    }
}

/// File systems that refuse writes, mounted for one process alone; requires permission to mount.
@Suite(
    "Ledgers on file systems that refuse writes",
    .enabled("no mount namespace can be made here") { await MountedRun.isPossible() })
struct MountedFileTests {
    @Test("A read-only ledger is reported by every command, and can be audited")
    func readOnly() async throws {
        let place = try await Workplace.taken()
        let script = """
            mount --bind data data && mount -o remount,bind,ro data && exec "$0" "$@"
            """
        let questions = [["show", Evidence.id], ["ingest", "in.ndjson"], ["rebuild"]]
        for question in questions {
            let outcome = try await MountedRun.run(
                script, question + ["--json"] + place.options, in: place)
            #expect(outcome.code == 74, "\(question): \(outcome.err)")
            #expect(outcome.errorCode == "fileReadOnly", "\(question): \(outcome.err)")
            #expect(outcome.out.isEmpty)
        }
        let audit = try await MountedRun.run(
            script, ["audit", "verify", "--json"] + place.options, in: place)
        #expect(audit.code == 0, "\(audit.err)")
        #expect(try audit.json()["sound"] == .bool(true))
        #expect(try await place.run("show", Evidence.id).code == 0)
    }

    @Test("A disk without space for SQLite's shared memory is reported as full")
    func full() async throws {
        let place = try await Workplace.taken()
        let script = """
            mkdir -p full && mount -t tmpfs -o size=8m tmpfs full && cp -a data/. full/ \
            && { dd if=/dev/zero of=full/rest bs=4096 2>/dev/null || true; } \
            && mount --bind full data && exec "$0" "$@"
            """
        for question in [["ingest", "in.ndjson"], ["show", Evidence.id]] {
            let outcome = try await MountedRun.run(
                script, question + ["--json"] + place.options, in: place)
            #expect(outcome.code == 74, "\(question): \(outcome.err)")
            #expect(outcome.errorCode == "diskFull", "\(question): \(outcome.err)")
        }
        #expect(try await place.run("show", Evidence.id).code == 0)
    }
}
