import Foundation
import Testing

/// Unusable files: exit code 74, the problem, and what to do.
@Suite("Damaged and forbidden files")
struct DamagedFileCommandTests {
    private func expect(_ place: Workplace, _ code: String) async throws {
        for arguments in [["show", Evidence.id], ["ingest", "in.ndjson"]] {
            let outcome = try await place.run(arguments + ["--json"] + place.options)
            #expect(outcome.code == 74, "\(arguments): \(outcome.err)")
            #expect(outcome.errorCode == code, "\(outcome.err)")
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
        try await expect(place, "fileForeign")
    }

    @Test("A data directory below a file cannot be created")
    func belowAFile() async throws {
        let place = try Workplace(options: ["--data", "in.ndjson/data"] + Evidence.options[2...])
        try place.write(Evidence.lines, to: "in.ndjson")
        try await expect(place, "ioError")
    }

    @Test("A directory without write access is read-only")
    func readOnlySystem() async throws {
        let place = try Workplace(options: ["--data", "/sys/subledger"] + Evidence.options[2...])
        try place.write(Evidence.lines, to: "in.ndjson")
        try await expect(place, "fileReadOnly")
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
