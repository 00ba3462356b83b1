import Foundation
import Testing

/// What the disk is told, and when, seen from outside: a name that a machine keeps over a power cut
/// must not name what it does not keep.
@Suite("What has a name is on the disk")
struct DurableNameTests {
    /// Calls that bear on it; SQLite's own, which are of files alone, are `fdatasync`.
    private static let calls = "fsync,rename,renameat,renameat2,link,linkat,unlink,unlinkat"

    private static let isTraceable: @Sendable () async throws -> Bool = {
        let place = try Workplace()
        let names = try ["in", "out"].map { place.file(try place.write(Data(), to: $0)) }
        return try await Child(
            path: "/usr/bin/env", arguments: ["strace", "-o", names[1], "true"],
            directory: place.path, variables: Workplace.inherited, input: names[0],
            output: names[1], errors: names[1]
        ).run() == 0
    }

    /// The steps of a command in the order they began, such as `fsync log.sqlite` or
    /// `link log.sqlite backup`; numbers in names are given as 0.
    private static func steps(_ place: Workplace, _ arguments: String...) async throws -> [String] {
        let names = try ["in", "out", "trace"].map { place.file(try place.write(Data(), to: $0)) }
        let code = try await Child(
            path: "/usr/bin/env",
            arguments: ["strace", "-f", "-y", "-o", names[2], "-e", "trace=" + calls]
                + [Workplace.binary] + arguments + place.options,
            directory: place.path, variables: Workplace.inherited, input: names[0],
            output: names[1], errors: names[1]
        ).run()
        let told = try String(contentsOfFile: names[1], encoding: .utf8)
        #expect(code == 0, "\(told)")
        return try String(contentsOfFile: names[2], encoding: .utf8)
            .split(separator: "\n").compactMap(step)
    }

    /// From `7 fsync(5</data/production>) = 0`, or `7 rename("a/b", "a/c") = 0`.
    private static func step(_ line: Substring) -> String? {
        guard let call = line.firstMatch(of: /^\d+ +([a-z]+)[a-z0-9]*\((.*)/) else { return nil }
        let paths = call.2.matches(of: /[<"]([^<>"]+)[>"]/).map(\.1).filter {
            $0 != "unfinished ..."
        }
        let names = paths.map { path in
            (String(path) as NSString).lastPathComponent.replacing(/[0-9]+/, with: "0")
        }
        return ([String(call.1)] + names).joined(separator: " ")
    }

    private static func ledger() async throws -> Workplace {
        let place = try Workplace()
        let input = try place.write(Evidence.lines, to: "in.ndjson")
        #expect(try await place.run("ingest", input).code == 0)
        return place
    }

    @Test(
        "A file that was built is on the disk before it is named, its name before the link, the link at the end",
        .enabled("strace(1) is missing, or may not trace", isTraceable))
    func rebuild() async throws {
        let place = try await DurableNameTests.ledger()
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
        #expect(steps.filter { !$0.hasPrefix("unlink ") } == switched)
        // A reader always finds a link.
        #expect(!steps.contains("unlink projections.sqlite"))
        #expect(!steps.contains("unlink facts-0.sqlite"))
    }

    @Test(
        "A backup and a restored log are on the disk before they are named, and their names at the end",
        .enabled("strace(1) is missing, or may not trace", isTraceable))
    func copies() async throws {
        let place = try await DurableNameTests.ledger()
        let backup = try await DurableNameTests.steps(place, "backup", "kept")
        #expect(
            backup.filter { !$0.hasPrefix("unlink ") } == [
                "fsync log.sqlite", "link log.sqlite kept",
                "fsync "
                    + (place.path as NSString).lastPathComponent.replacing(/[0-9]+/, with: "0"),
            ])
        try FileManager.default.removeItem(atPath: place.file("data"))
        let restored = try await DurableNameTests.steps(place, "restore", "kept")
            .filter { !$0.hasPrefix("unlink ") }
        let link = try #require(restored.firstIndex(of: "link log.sqlite log.sqlite"))
        #expect(restored[..<link].contains("fsync log.sqlite"))
        #expect(restored[(link + 1)...].first == "fsync production")
    }
}
