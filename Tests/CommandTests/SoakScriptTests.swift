import Foundation
import PostgresSupport
import TestSupport
import Testing

/// The scripts of `make soak`, with small inputs.
@Suite("Soak scripts", .serialized)
struct SoakScriptTests {
    private static let folder = Fixtures.repository.appending(path: "Tests/Soak").path

    @Test(
        "A script ends by itself, leaves nothing behind, and reports a sound ledger",
        arguments: [
            ("million.sh", ["EVENTS": "40", "KILLS": "1"]),
            (
                "inject.sh",
                [
                    "SOAK_CASES": "append", "SOAK_FAULTS": "KILL", "SOAK_CALLS": "fsync",
                    "SOAK_STRIDE": "3",
                ]
            ),
            ("nodes.sh", ["NOTIFICATIONS": "24"]),
        ])
    func small(name: String, variables: [String: String]) async throws {
        let place = try Workplace()
        let scratch = place.file("scratch")
        try FileManager.default.createDirectory(
            atPath: scratch, withIntermediateDirectories: true)
        let own = variables.merging(["BINARY": Workplace.binary, "TMPDIR": scratch]) { $1 }
        let files = ["in", "out", "err"].map { place.file("script.\($0)") }
        for file in files { try Data().write(to: URL(filePath: file)) }
        let child = Child(
            path: "/bin/bash", arguments: ["\(SoakScriptTests.folder)/\(name)"],
            directory: place.path, variables: Workplace.inherited.merging(own) { $1 },
            input: files[0], output: files[1], errors: files[2])
        let code = try await child.run()
        let out = try String(contentsOfFile: files[1], encoding: .utf8)
        let errors = try String(contentsOfFile: files[2], encoding: .utf8)
        #expect(code == 0, "\(out)\(errors)")
        let last = out.split(separator: "\n").last ?? ""
        let canRun =
            switch name {
            case "inject.sh": try await canTrace(place)
            case "nodes.sh": PostgresCluster.isPresent
            default: true
            }
        #expect(last.hasPrefix(canRun ? "verdict: sound" : "skipped: "), "\(out)")
        #expect(last != "verdict: sound; 0 faults injected", "\(out)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch).isEmpty)
    }

    /// Whether strace is installed and may trace here; without it `inject.sh` has nothing to do.
    private func canTrace(_ place: Workplace) async throws -> Bool {
        let probe =
            "strace -f -o probe -e trace=openat -e inject=openat:error=EIO:when=65535 true"
        return try await place.shell(probe).code == 0
    }

    @Test("Without BINARY, a script reports what it needs")
    func nothingToTry() async throws {
        let place = try Workplace()
        for name in ["million.sh", "inject.sh", "disk-full.sh", "nodes.sh"] {
            let outcome = try await place.shell("/bin/bash \(SoakScriptTests.folder)/\(name)")
            #expect(outcome.code != 0)
            #expect(outcome.err.contains("BINARY"))
            #expect(outcome.out.isEmpty)
        }
    }
}
