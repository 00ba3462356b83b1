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

    @Test(
        "Its guarantees hold for its seeds, whole, truncated and with a bit flipped",
        arguments: names)
    func seeds(_ name: String) async {
        // A violated guarantee ends the process.
        await #expect(processExitsWith: .success) { [name] in
            let folder = try FuzzTests.folder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let directory = try FuzzDirectory(folder)
            let target = try #require(try directory.targets().first { $0.name == name })
            let seeds = try target.seeds(SeedSource(authority: directory.authority))
            try #require(!seeds.isEmpty)
            for seed in seeds {
                for input in FuzzTests.variants(of: seed) {
                    input.withUnsafeBufferPointer { target.run($0) }
                }
            }
        }
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
