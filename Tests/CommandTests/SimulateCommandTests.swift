import AppStore
import Foundation
import Testing

@Suite("subledger simulate history")
struct SimulateCommandTests {
    private func place() throws -> Workplace {
        try Workplace(options: ["--bundle-id", Evidence.app])
    }

    @Test("Its lines can be ingested as written, and none is refused")
    func goesIn() async throws {
        let place = try place()
        // Apple does not state how long one-time purchases last.
        try place.write(
            """
            products:
              com.example.pass: { entitlements: [pro], duration: P30D }
              com.example.season: { entitlements: [pro], duration: P1M }
            """
            .split(separator: "\n").map(String.init), to: "subledger.yaml")
        let reported = try await place.run(
            "simulate", "history", "--events", "120", "--root", "root.der", "--truth",
            "truth.ndjson")
        #expect(reported.code == 0, "\(reported.err)")
        #expect(reported.out.split(separator: "\n").count == 120)
        try place.write(Data(reported.out.utf8), to: "in.ndjson")
        let taken = try await place.run(
            "ingest", "in.ndjson", "--json", "--data", "data", "--trust-root", "root.der")
        #expect(taken.code == 0, "\(taken.err)")
        #expect(try taken.json()["appended"]?.int64 == 120)
        let truth = try String(contentsOfFile: place.file("truth.ndjson"), encoding: .utf8)
        for line in truth.split(separator: "\n") {
            let life = try JSONValue.parse(Array(line.utf8))
            let id = try #require(life["originalTransactionId"]?.string)
            let last = try #require(life["intervals"]?.array?.last)
            let shown = try await place.answered(
                "show", id, "--json", "--config", place.file("subledger.yaml"), "--at",
                "2031-01-01T00:00:00.000Z")
            #expect(try shown.json()["state"] == last["state"])
        }
        #expect(!truth.isEmpty)
    }

    @Test("In a pipe, ingest waits for the root to be written")
    func pipes() async throws {
        let place = try place()
        let outcome = try await place.shell(
            """
            "$0" simulate history --events 50 --root fresh.der | \
            "$0" ingest - --json --data data --bundle-id \(Evidence.app) --trust-root fresh.der
            """)
        #expect(outcome.code == 0, "\(outcome.err)")
        #expect(outcome.out.contains("\"appended\":50"))
    }

    @Test("A reader that stops early ends it without an error")
    func stops() async throws {
        let outcome = try await place().shell(
            #""$0" simulate history --events 2000 --root root.der 2>errors | head -n 1 | wc -l; "#
                + #"grep -c error errors"#)
        #expect(outcome.out.split(separator: "\n") == ["1", "0"])
    }

    @Test("With a stored authority, the second part continues the first")
    func continues() async throws {
        let place = try place()
        let arguments = ["simulate", "history", "--events", "90", "--authority", "keys"]
        let whole = try await place.run(arguments + place.options)
        #expect(whole.code == 0, "\(whole.err)")
        let rest = try await place.run(arguments + ["--skip", "60"] + place.options)
        #expect(rest.code == 0, "\(rest.err)")
        let (all, some) = (payloads(whole.out), payloads(rest.out))
        #expect(all.count == 90)
        #expect(some == Array(all.dropFirst(60)))
        for name in try FileManager.default.contentsOfDirectory(atPath: place.file("keys")) {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: place.file("keys/\(name)"))
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
    }

    /// The signed content, without the signature.
    private func payloads(_ lines: String) -> [String] {
        lines.split(separator: "\n").map { line in
            let value = try? JSONValue.parse(Array(line.utf8))
            let at = value?["receivedAt"]?.string ?? ""
            return at + " \(line.count / 100)"
        }
    }

    @Test("Sandbox lives go into the sandbox ledger")
    func sandbox() async throws {
        let place = try place()
        let reported = try await place.run(
            "simulate", "history", "--events", "40", "--root", "root.der", "--environment",
            "sandbox")
        try place.write(Data(reported.out.utf8), to: "in.ndjson")
        let taken = try await place.run(
            "ingest", "in.ndjson", "--data", "data", "--trust-root", "root.der",
            "--environment", "sandbox")
        #expect(taken.code == 0, "\(taken.err)")
    }

    @Test(
        "Invalid options are usage errors",
        arguments: [
            [], ["--events", "5"], ["--events", "0", "--root", "r"],
            ["--events", "5", "--chains", "5", "--root", "r"], ["--chains", "-1", "--root", "r"],
            ["--events", "5", "--root", "r", "--seed", "1000001"],
            ["--events", "5", "--root", "r", "--skip", "-1"],
            ["--events", "5", "--root", "r", "--environment", "xcode"],
        ])
    func usage(arguments: [String]) async throws {
        let place = try place()
        let outcome = try await place.run(["simulate", "history"] + arguments + place.options)
        #expect(outcome.code == 64, "\(arguments)")
        #expect(outcome.out.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: place.file("r")))
    }

    @Test("A root or an authority that cannot be written ends it before the first line")
    func unwritable() async throws {
        let place = try place()
        try place.write(Data("x".utf8), to: "file")
        for (arguments, code) in [
            (["--root", "none/r"], "ioError"), (["--authority", "file"], "unusableAuthority"),
        ] {
            let outcome = try await place.run(
                ["simulate", "history", "--events", "5"] + arguments + place.options)
            #expect(outcome.code == 74 && outcome.errorCode == code, "\(outcome.err)")
            #expect(outcome.out.isEmpty)
        }
    }
}

extension Workplace {
    /// Runs a shell command here, with the binary as `$0`.
    func shell(_ script: String) async throws -> Outcome {
        try await program("/bin/sh", ["-c", script, Workplace.binary])
    }

    /// Runs an installed program here, and waits for its end.
    func program(_ path: String, _ arguments: [String]) async throws -> Outcome {
        let id = UUID().uuidString
        let names = ["in", "out", "err"].map { file("\(id).\($0)") }
        defer { for name in names { try? FileManager.default.removeItem(atPath: name) } }
        for name in names { try Data().write(to: URL(filePath: name)) }
        let child = Child(
            path: path, arguments: arguments, directory: self.path,
            variables: Workplace.inherited, input: names[0], output: names[1], errors: names[2])
        return Outcome(
            code: try await child.run(),
            out: try String(contentsOfFile: names[1], encoding: .utf8),
            err: try String(contentsOfFile: names[2], encoding: .utf8))
    }
}
