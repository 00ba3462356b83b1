import AppStore
import Foundation
import Migrations
import Signing
import TestSupport
import Testing

@Suite("Schema history")
struct SchemaHistoryTests {
    /// SHA-256 of every script, as files in use have it in their `migrations` table. A script that
    /// was ever released is never changed: its change is a new script.
    private static let checksums = [
        "V0001_log_events":
            "3104a0128e10352339e43d20d841cdd1697233943458b2f9a6c5a4a622a9d1a1",
        "V0002_log_sweeps":
            "c86e057b1bd7ed2fd0cf13fb213adacf0fda6bbead3b5e434f4de0f62718782f",
        "V0003_log_xcode":
            "d18560ac2f1dae3914957d0f52e51fcdd336c66c0afb2bce6a8cc8c143cc1519",
        "V0001_operations_quarantine":
            "201a19e47e7a4eedefc1f72320a0dab8ee7335de12b36f83ad646dbed06f6994",
        "V0002_operations_feeds":
            "3a27092e88f85e5e7bfa0f51d2399af904a1ce6bc8aa2fc8a53e851860276c00",
        "V0003_operations_uploads":
            "65a8c60479e503654faab4432563f73c260e584a83f74cf918bd6e113ca53867",
        "V0004_operations_recovery":
            "bdca006e887fe269892b2310ef971cc56ae8628e90bb1a12ea36571d5ee49087",
        "V0005_operations_backfill":
            "8f2cb1926469717cd57c98e2a747359670dd639fedb354c6196ae07505fc0829",
        "V0006_operations_cursors":
            "bb8cb9c7e67a4f7d68a2f1a22ae2dfca1c225d4ec9c41a092d9f20033c1e2e70",
        "V0007_operations_reports":
            "ed34971ae5893f0cfbd1eaa7eb8ff2cc30bb0265eb58871980c4a2791958d731",
        "V0008_operations_awaiting_secret":
            "c749246d94a7ad7f63b9be290a1eb0016acf4e1d5e74d9d27a626efeb48bf1ba",
        "V0009_operations_waiting":
            "408614b2539cc2f7094716ba88fa561e8ae0084f5be89ec5eb48a6420ba4b6aa",
        "V0010_operations_clock_leaf":
            "0bdc12fa887d198633c8f85d3bef83dcafe965652c9f57813898f10bb96ccc80",
        "V0011_operations_clock_again":
            "b0cdf1afa851f6910e2ba037b8bf2339b54deda5c2e13a1091da5604a7107561",
    ]

    @Test("No script has changed since it was added")
    func pinned() {
        let lists = SchemaHistory.log + SchemaHistory.operations
        #expect(Set(lists.map(\.name)) == Set(Self.checksums.keys))
        for migration in lists {
            #expect(
                SHA256.hash(migration.sql).hexadecimal == Self.checksums[migration.name],
                "\(migration.name)")
        }
    }

    @Test("The embedded scripts equal the files in Migrations/SQL")
    func embedded() throws {
        let folder = Fixtures.repository.appending(path: "Migrations/SQL")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix("V") && $0.hasSuffix(".sql") }
        let lists = SchemaHistory.log + SchemaHistory.operations
        #expect(Set(lists.map { $0.name + ".sql" }) == Set(files))
        for migration in lists {
            let bytes = try Data(contentsOf: folder.appending(path: migration.name + ".sql"))
            #expect(migration.sql == Array(bytes), "\(migration.name)")
        }
    }

    @Test("Versions count from 1 without gaps and are part of the name")
    func versions() {
        for list in [SchemaHistory.log, SchemaHistory.operations] {
            for (index, migration) in list.enumerated() {
                #expect(migration.version == index + 1)
                let number = String(index + 1)
                let padding = String(repeating: "0", count: 4 - number.count)
                #expect(migration.name.hasPrefix("V" + padding + number + "_"))
            }
        }
    }
}
