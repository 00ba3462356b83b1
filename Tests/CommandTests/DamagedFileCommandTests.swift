import Foundation
import Testing

/// Unusable files: exit code 74, the problem, and what to do.
@Suite("Damaged and forbidden files")
struct DamagedFileCommandTests {
    private func expect(_ place: Workplace, _ codes: Set<String>) async throws {
        for arguments in [["show", Evidence.id], ["ingest", "in.ndjson"], ["export", "events"]] {
            let outcome = try await place.run(arguments + ["--json"] + place.options)
            #expect(outcome.code == 74, "\(arguments): \(outcome.err)")
            #expect(codes.contains(outcome.errorCode ?? ""), "\(outcome.err)")
            #expect(outcome.out.isEmpty)
            let sentence = try #require(outcome.err.split(separator: "\n").last)
            #expect(sentence.hasPrefix("error: "))
            #expect(sentence.hasSuffix("."))
        }
    }

    @Test("A log that is another SQLite file is foreign")
    func foreign() async throws {
        let place = try await Workplace.taken()
        let log = place.ledgerFile("log.sqlite")
        try FileManager.default.removeItem(atPath: log)
        try FileManager.default.copyItem(
            atPath: place.ledgerFile("operations.sqlite"), toPath: log)
        try await expect(place, ["fileForeign"])
    }

    @Test("A log that is not an SQLite file is reported as such")
    func noDatabase() async throws {
        let place = try await Workplace.taken()
        try Data(String(repeating: "words ", count: 4_000).utf8)
            .write(to: URL(filePath: place.ledgerFile("log.sqlite")))
        try await expect(place, ["fileNotDatabase"])
    }

    @Test("A truncated log is corrupt, and stays unchanged")
    func cutShort() async throws {
        let place = try await Workplace.taken()
        let log = URL(filePath: place.ledgerFile("log.sqlite"))
        let data = try Data(contentsOf: log)
        try data.prefix(data.count / 2).write(to: log)
        let outcome = try await place.run("audit", "verify", "--json")
        #expect(outcome.code == 74 || outcome.code == 1)
        #expect(outcome.code == 1 || outcome.errorCode == "fileCorrupt")
        #expect(try Data(contentsOf: log).count <= data.count)
    }

    @Test("A log whose pages are overwritten is corrupt")
    func overwritten() async throws {
        let place = try await Workplace.taken()
        let log = URL(filePath: place.ledgerFile("log.sqlite"))
        var data = try Data(contentsOf: log)
        let header = 100
        data.replaceSubrange(
            header..<data.count, with: Data(repeating: 0xA5, count: data.count - header))
        try data.write(to: log)
        try await expect(place, ["fileCorrupt", "fileNotDatabase"])
    }

    @Test("A data directory below a file cannot be created")
    func belowAFile() async throws {
        let place = try Workplace(options: ["--data", "in.ndjson/data"] + Evidence.options[2...])
        try place.write(Evidence.lines, to: "in.ndjson")
        try await expect(place, ["ioError"])
    }

    @Test("A directory without write access is read-only")
    func readOnlySystem() async throws {
        let place = try Workplace(options: ["--data", "/sys/subledger"] + Evidence.options[2...])
        try place.write(Evidence.lines, to: "in.ndjson")
        try await expect(place, ["fileReadOnly"])
    }

    @Test(
        "A read-only directory is reported as read-only",
        .enabled(if: geteuid() != 0, "the super-user may write anywhere"))
    func readOnlyDirectory() async throws {
        let place = try await Workplace.taken()
        let directory = place.file("data/production")
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: directory)
        for name in try FileManager.default.contentsOfDirectory(atPath: directory)
        where name != "projections.sqlite" {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o400], ofItemAtPath: "\(directory)/\(name)")
        }
        defer {
            try? FileManager.default.setAttributes(
                [.posixPermissions: 0o700], ofItemAtPath: directory)
        }
        try await expect(place, ["fileReadOnly"])
    }

    @Test("A log locked by another process is reported as locked")
    func locked() async throws {
        let place = try await Workplace.taken()
        let descriptor = open(place.ledgerFile("log.sqlite"), O_RDWR | O_CLOEXEC)
        #expect(descriptor >= 0)
        defer { close(descriptor) }
        // SQLite's bytes for shared locks (https://www.sqlite.org/src/file/src/os.h).
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0x4000_0000
        lock.l_len = 512
        #expect(fcntl(descriptor, F_SETLK, &lock) == 0)
        let outcome = try await place.run("show", Evidence.id, "--json")
        #expect(outcome.code == 74)
        #expect(outcome.errorCode == "fileLocked")
    }

    @Test("The files are readable by their owner only")
    func permissions() async throws {
        let place = try await Workplace.taken()
        let directory = place.file("data/production")
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: "\(directory)/\(name)")
            guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
            let mode = try #require(attributes[.posixPermissions] as? NSNumber)
            #expect(mode.intValue & 0o077 == 0, "\(name)")
        }
    }
}
