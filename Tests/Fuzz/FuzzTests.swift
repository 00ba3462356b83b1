import Foundation
import Testing

/// `make fuzz` is built separately. Here the same targets are compiled with everything else and run
/// on their seeds, so that they stay up to date with the code.
@Suite("Targets of make fuzz")
struct FuzzTests {
    static let names = [
        "compactJWS", "signedPayload", "notification", "transaction", "renewal", "certificates",
        "ingestLine", "configuration", "evidence", "fact", "lifecycle", "extremeFacts",
        "receipts", "salesReports",
    ]

    @Test("Every target is tested here")
    func all() throws {
        let folder = try FuzzTests.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(try FuzzDirectory(folder).targets().map(\.name) == FuzzTests.names)
    }

    /// A process each: to start one and to make its keys takes longer than a target.
    static let halves = [Array(names.prefix(7)), Array(names.dropFirst(7))]

    @Test(
        "Their guarantees hold for their seeds, whole, truncated and with a bit flipped",
        arguments: halves)
    func seeds(_ names: [String]) async throws {
        let folder = try FuzzTests.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // A violated guarantee ends the process, whose last target is then in the file.
        await #expect(processExitsWith: .success) { [names, folder = folder as String] in
            let directory = try FuzzDirectory(folder)
            let targets = try directory.targets()
            for name in names {
                try Data(name.utf8).write(to: URL(filePath: folder + "/target"))
                let target = try #require(targets.first { $0.name == name })
                let seeds = try target.seeds(SeedSource(authority: directory.authority))
                try #require(!seeds.isEmpty)
                for (index, seed) in seeds.enumerated() {
                    // Many seeds of one target are alike.
                    let isVaried = index < 12 || index.isMultiple(of: 12)
                    for input in isVaried ? FuzzTests.variants(of: seed) : [seed] {
                        input.withUnsafeBufferPointer { target.run($0) }
                    }
                }
            }
            try Data("none".utf8).write(to: URL(filePath: folder + "/target"))
        }
        let failed = try String(contentsOfFile: folder + "/target", encoding: .utf8)
        #expect(failed == "none")
    }

    private static func variants(of seed: [UInt8]) -> [[UInt8]] {
        guard !seed.isEmpty else { return [seed] }
        var flipped = seed
        flipped[seed.count / 2] ^= 1
        return [seed, Array(seed.prefix(seed.count / 2)), flipped]
    }

    private static func folder() throws -> String {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "subledger-fuzz-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.path
    }
}
