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
        "V0004_log_erasure":
            "7384e1e80dc2ac5c7f57d330d8fca4fd83fe285592cb0c9d435e70fff4884ec2",
        "V0005_log_decisions":
            "7e2546e0049c68b85bea9be08d7b9ac16f117df8ed50878f6a699069ddc1187f",
        "V0006_log_version_one":
            "58479b6a3ee60820d4de1ec233e60e6b9ffba6bf07e357562da25e253b8d44fd",
        "V0011_operations":
            "12ae9ded2839ffeb355b3193cab1c46af7478fe3752c8437eaacfa424a1d1e39",
        "V0012_operations_checkpoints":
            "855501d2af9d7e24c82a7523cc7c33cb60d62d2a04ab5ccfcdd19191d4b19c6a",
        "V0013_operations_retention":
            "82b0173808f3445e34d6021a10ec75c46bd6e54ddd868a88477e06460ad7bec3",
        "V0014_operations_retention_offer":
            "76772f744a0803eef071ba8bd583412847c2bb90c1c5575f78098492ed51101a",
        "V0015_operations_cursors":
            "47c92aa87119eb73c830fc362e76b24db8e9de0686ba84ab7f6baed51828a70d",
        "V0016_operations_feed_rules":
            "bb5d1db171268d5555e79db346540243cdb0174a36af4152fb31b19730f7f013",
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

    @Test(
        "The embedded scripts equal the files in Migrations",
        arguments: [
            ("SQL", SchemaHistory.log + SchemaHistory.operations),
            ("PostgreSQL", SchemaHistory.postgres),
        ])
    func embedded(name: String, lists: [Migration]) throws {
        let folder = Fixtures.repository.appending(path: "Migrations/\(name)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix("V") && $0.hasSuffix(".sql") }
        #expect(Set(lists.map { $0.name + ".sql" }) == Set(files))
        for migration in lists {
            let bytes = try Data(contentsOf: folder.appending(path: migration.name + ".sql"))
            #expect(migration.sql == Array(bytes), "\(migration.name)")
        }
    }

    @Test("Versions count without gaps and are part of the name")
    func versions() {
        let lists = [
            (SchemaHistory.log, 1), (SchemaHistory.operations, 11), (SchemaHistory.postgres, 1),
        ]
        for (list, first) in lists {
            for (index, migration) in list.enumerated() {
                #expect(migration.version == first + index)
                let number = String(migration.version)
                let padding = String(repeating: "0", count: 4 - number.count)
                #expect(migration.name.hasPrefix("V" + padding + number + "_"))
            }
        }
    }
}
