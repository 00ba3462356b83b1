import Foundation
import Testing

/// `make fuzz` builds apart from everything else. Here the same targets are compiled with everything,
/// and tried on what they begin with, so that they stay true to the code they are for.
@Suite("Targets of make fuzz")
struct FuzzTests {
    static let names = [
        "compactJWS", "signedPayload", "notification", "transaction", "renewal", "certificates",
        "ingestLine", "configuration", "evidence", "fact", "lifecycle", "extremeFacts",
        "receipts",
    ]

    @Test("Every target is tried here")
    func all() throws {
        let folder = try FuzzTests.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(try FuzzDirectory(folder).targets().map(\.name) == FuzzTests.names)
    }

    @Test(
        "It keeps its promises on its seeds, whole, cut short and with a bit flipped",
        arguments: names)
    func seeds(_ name: String) async {
        // A broken promise ends the process.
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
