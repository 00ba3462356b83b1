import Foundation
import Ledger
import Testing

/// A kill between creating a derived file and linking it leaves a file that is never opened.
@Suite("Incomplete derived files")
struct OrphanTests {
    @Test("A file that never became current is removed by the next command, with its journal")
    func orphan() async throws {
        let place = try await Workplace.taken()
        let orphan = "facts-\(Fact.decoderVersion)-99.sqlite"
        for name in [orphan, orphan + "-journal"] {
            try Data().write(to: URL(filePath: place.ledgerFile(name)))
        }
        #expect(try await place.run("rebuild").code == 0)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: place.file("data/production"))
        #expect(!names.contains { $0.hasPrefix(orphan) })
    }
}
