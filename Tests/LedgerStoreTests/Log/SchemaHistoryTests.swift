import Foundation
import Migrations
import Testing

@Suite("Schema history")
struct SchemaHistoryTests {
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
