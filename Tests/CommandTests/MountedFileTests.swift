import Foundation
import Testing

/// A command in a mount namespace of its own.
private enum MountedRun {
    private static let unshare = "/usr/bin/unshare"

    /// Runs a shell script in a mount namespace of its own, in the place's directory, the binary
    /// being `$0` and the arguments `$@`.
    static func run(
        _ script: String, _ arguments: [String], in place: Workplace
    ) async throws -> Outcome {
        let id = UUID().uuidString
        let names = ["in", "out", "err"].map { place.file("\(id).\($0)") }
        for name in names { try Data().write(to: URL(filePath: name)) }
        let child = Child(
            path: unshare, arguments: ["-m", "sh", "-c", script, Workplace.binary] + arguments,
            directory: place.path, variables: Workplace.inherited,
            input: names[0], output: names[1], errors: names[2])
        return Outcome(
            code: try await child.run(),
            out: try String(contentsOfFile: names[1], encoding: .utf8),
            err: try String(contentsOfFile: names[2], encoding: .utf8))
    }

    static func isPossible() async -> Bool {
        guard let place = try? Workplace() else { return false }
        let script = "mkdir -p probe && mount -t tmpfs -o size=64k tmpfs probe"
        return (try? await run(script, [], in: place))?.code == 0
    }
}

/// File systems that refuse, mounted for one process alone: only who may mount can try.
@Suite(
    "Ledgers on file systems that refuse",
    .enabled("no mount namespace can be made here") { await MountedRun.isPossible() })
struct MountedFileTests {
    private func taken() async throws -> Workplace {
        let place = try Workplace()
        try place.write(Evidence.lines, to: "in.ndjson")
        #expect(try await place.run("ingest", "in.ndjson").code == 0)
        return place
    }

    @Test("A ledger that is mounted for reading says so, whatever is asked")
    func readOnly() async throws {
        let place = try await taken()
        let script = """
            mount --bind data data && mount -o remount,bind,ro data && exec "$0" "$@"
            """
        let questions = [
            ["show", Evidence.id], ["ingest", "in.ndjson"], ["audit", "verify"], ["rebuild"],
        ]
        for question in questions {
            let outcome = try await MountedRun.run(
                script, question + ["--json"] + place.options, in: place)
            #expect(outcome.code == 74, "\(question): \(outcome.err)")
            #expect(outcome.errorCode == "fileReadOnly", "\(question): \(outcome.err)")
            #expect(outcome.out.isEmpty)
        }
        #expect(try await place.run("show", Evidence.id).code == 0)
    }

    @Test("A disk without room for SQLite's shared memory is said to be full")
    func full() async throws {
        let place = try await taken()
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
