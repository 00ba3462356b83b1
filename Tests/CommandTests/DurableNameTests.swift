import Foundation
import Testing

/// The order of system calls on files, observed from outside: a name that survives a power cut must
/// not refer to data that does not.
@Suite("Named files are durable")
struct DurableNameTests {
    /// The system calls traced; SQLite syncs its files with `fdatasync`.
    private static let calls = "fsync,rename,renameat,renameat2,link,linkat,unlink,unlinkat"
    /// Calls that change the contents of a file.
    private static let writes = "pwrite64,pwritev,write,writev,ftruncate,fallocate"

    private static let isTraceable: @Sendable () async throws -> Bool = {
        let place = try Workplace()
        let names = try ["in", "out"].map { place.file(try place.write(Data(), to: $0)) }
        return try await Child(
            path: "/usr/bin/env", arguments: ["strace", "-o", names[1], "true"],
            directory: place.path, variables: Workplace.inherited, input: names[0],
            output: names[1], errors: names[1]
        ).run() == 0
    }

    /// A call, from its start to its end in the trace.
    private struct Step {
        /// `rename` also for `renameat2`, and so on.
        let call: String
        /// Names without their directories, numbers in them replaced by 0.
        let names: [String]
        let began: Int
        var ended: Int

        var text: String { ([call] + names).joined(separator: " ") }
        var isName: Bool { (call == "rename" || call == "link") && !isTrial }
        /// Support for hard links is probed with an empty file.
        var isTrial: Bool { text == "link subledger.partial log.sqlite-journal" }
        var isWrite: Bool { writes.split(separator: ",").contains { $0.hasPrefix(call) } }
    }

    /// The steps of a command in the order they began.
    private static func steps(_ place: Workplace, _ arguments: String...) async throws -> [Step] {
        let names = try ["in", "out", "trace"].map { place.file(try place.write(Data(), to: $0)) }
        let code = try await Child(
            path: "/usr/bin/env",
            arguments: [
                "strace", "-f", "-y", "-s", "0", "-o", names[2], "-e",
                "trace=\(calls),\(writes)",
            ] + [Workplace.binary] + arguments + place.options,
            directory: place.path, variables: Workplace.inherited, input: names[0],
            output: names[1], errors: names[1]
        ).run()
        let reported = try String(contentsOfFile: names[1], encoding: .utf8)
        #expect(code == 0, "\(reported)")
        let trace = try String(contentsOfFile: names[2], encoding: .utf8)
        return steps(trace.split(separator: "\n"))
    }

    private static func steps(_ lines: [Substring]) -> [Step] {
        var steps: [Step] = []
        var open: [Substring: Int] = [:]
        for (number, line) in lines.enumerated() {
            let thread = line.prefix { $0 != " " }
            if line.contains(" resumed>"), let begun = open.removeValue(forKey: thread) {
                steps[begun].ended = number
            } else if let step = step(line, number) {
                if line.contains("<unfinished ...>") { open[thread] = steps.count }
                steps.append(step)
            }
        }
        return steps
    }

    private static func name(of path: String) -> String {
        (path as NSString).lastPathComponent.replacing(/[0-9]+/, with: "0")
    }

    /// From `7 fsync(5</data/production>) = 0`, or `7 rename("a/b", "a/c") = 0`.
    private static func step(_ line: Substring, _ number: Int) -> Step? {
        guard let call = line.firstMatch(of: /^\d+ +([a-z]+)[a-z0-9]*\((.*)/) else { return nil }
        let paths = call.2.matches(of: /[<"]([^<>"]+)[>"]/).map(\.1).filter {
            $0 != "unfinished ..."
        }
        let names = paths.map { name(of: String($0)) }
        return Step(call: String(call.1), names: names, began: number, ended: number)
    }

    /// All but writes and deletions.
    private static func naming(_ steps: [Step]) -> [String] {
        steps.filter { !$0.isWrite && $0.call != "unlink" && !$0.isTrial }.map(\.text)
    }

    /// Writes to a file between its last sync and its naming, and names given before the file is
    /// durable.
    private static func late(_ steps: [Step]) -> [String] {
        steps.filter { $0.isName && !$0.names[0].hasPrefix(".") }.flatMap { naming in
            let file = naming.names[0]
            guard
                let kept = steps.last(where: {
                    $0.call == "fsync" && $0.names == [file] && $0.began < naming.began
                }), kept.ended < naming.began
            else { return ["\(naming.text) before it is durable"] }
            return steps.filter {
                $0.isWrite && $0.names.first == file && $0.ended > kept.began
                    && $0.began < naming.began
            }.map { "\($0.text) before \(naming.text)" }
        }
    }

    @Test(
        "A built file is durable before it is named, its name before the link, the link at the end",
        .enabled("strace(1) is missing, or may not trace", isTraceable))
    func rebuild() async throws {
        let place = try await Workplace.taken()
        let switched = [
            ("facts-0-0.sqlite", "facts-0.sqlite"),
            ("projections-0-0.sqlite", "projections.sqlite"),
        ]
        .flatMap { file, link in
            [
                "fsync \(file).building", "rename \(file).building \(file)",
                "fsync production",
                "rename .\(link).0 \(link)", "fsync production",
            ]
        }
        let steps = try await DurableNameTests.steps(place, "rebuild", "--from-log")
        #expect(DurableNameTests.naming(steps) == switched)
        #expect(DurableNameTests.late(steps) == [])
        for file in ["facts-0-0.sqlite.building", "projections-0-0.sqlite.building"] {
            #expect(steps.contains { $0.isWrite && $0.names.first == file }, "\(file)")
        }
        // A reader always finds a link.
        for link in ["unlink projections.sqlite", "unlink facts-0.sqlite"] {
            #expect(!steps.contains { $0.text == link })
        }
    }

    @Test(
        "A backup and a restored log are durable before they are named, their names at the end",
        .enabled("strace(1) is missing, or may not trace", isTraceable))
    func copies() async throws {
        let place = try await Workplace.taken()
        let backup = try await DurableNameTests.steps(place, "backup", "kept")
        #expect(
            DurableNameTests.naming(backup) == [
                "fsync log.sqlite", "link log.sqlite kept",
                "fsync \(DurableNameTests.name(of: place.path))",
            ])
        #expect(DurableNameTests.late(backup) == [])
        #expect(backup.contains { $0.isWrite && $0.names.first == "log.sqlite" })
        try FileManager.default.removeItem(atPath: place.file("data"))
        let steps = try await DurableNameTests.steps(place, "restore", "kept")
        #expect(DurableNameTests.late(steps) == [])
        let restored = DurableNameTests.naming(steps)
        let link = try #require(restored.firstIndex(of: "link log.sqlite log.sqlite"))
        #expect(restored[..<link].contains("fsync log.sqlite"))
        #expect(restored[(link + 1)...].first == "fsync production")
    }

    @Test(
        "A replaced log has its new name, with its write-ahead log, before another takes its own",
        .enabled("strace(1) is missing, or may not trace", isTraceable), arguments: [false, true])
    func replaced(isDamaged: Bool) async throws {
        let place = try await Workplace.taken()
        #expect(try await place.run("backup", "kept").code == 0)
        if isDamaged {
            try place.write(["no database"], to: "data/production/log.sqlite")
            try place.write(["frames"], to: "data/production/log.sqlite-wal")
        }
        let steps = try await DurableNameTests.steps(place, "restore", "kept", "--replace")
        let named = DurableNameTests.naming(steps)
        let replaced = "log-replaced-0-0-0T0.0Z.sqlite"
        let begin = try #require(named.firstIndex(of: "link log.sqlite \(replaced)"))
        let writes = isDamaged ? ["rename log.sqlite-wal \(replaced)-wal", "fsync production"] : []
        let expected =
            ["link log.sqlite \(replaced)", "fsync production"] + writes
            + ["fsync production", "rename log.sqlite log.sqlite", "fsync production"]
        #expect(Array(named[begin...].prefix(expected.count)) == expected)
    }

    @Test(
        "A key and a proof are durable before their names, and their names at the end",
        .enabled("strace(1) is missing, or may not trace", isTraceable))
    func privateFiles() async throws {
        let place = try await Workplace.taken()
        let directory = "fsync \(DurableNameTests.name(of: place.path))"
        let key = try await DurableNameTests.steps(
            place, "audit", "keygen", "--origin", "a/b", "audit.key")
        #expect(DurableNameTests.naming(key) == ["fsync audit.key", directory])
        try place.write(["audit: { origin: a/b, keyFile: audit.key }"], to: "audit.yaml")
        let proof = try await DurableNameTests.steps(
            place, "audit", "prove", Evidence.id, "-o", "proof.json", "--config", "audit.yaml")
        #expect(DurableNameTests.late(proof) == [])
        let named = DurableNameTests.naming(proof)
        let rename = try #require(
            named.firstIndex(of: "rename proof.json.partial-0 proof.json"))
        #expect(named[(rename + 1)...].first == directory)
    }

    @Test("A write after the sync is detected, and so is a name given before it")
    func seen() {
        let write = #"7 pwrite64(5</d/a>, ""..., 10, 0) = 10"#
        let name = #"8 rename("/d/a", "/d/b") = 0"#
        let (sync, begun, done) = (
            "7 fsync(5</d/a>) = 0", "7 fsync(5</d/a> <unfinished ...>", "7 <... fsync resumed>) = 0"
        )
        let trials: [([String], Bool)] = [
            ([write, sync, name], false), ([write, sync, name, write], false),
            ([write, begun, done, name], false), ([sync, write, name], true),
            ([write, name, sync], true), ([write, name], true),
            ([begun, write.replacing("7 ", with: "9 "), done, name], true),
            ([write, begun, name, done], true),
        ]
        for (lines, isLate) in trials {
            let late = DurableNameTests.late(DurableNameTests.steps(lines.map { $0[...] }))
            #expect(late.isEmpty != isLate, "\(lines)")
        }
    }
}
