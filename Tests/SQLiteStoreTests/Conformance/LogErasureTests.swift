import AppStore
import Faults
import Foundation
import Ledger
import LedgerStore
import LedgerTestSupport
import TestSupport
import Testing

@testable import SQLiteStore

/// Erasures in every engine that keeps whole logs.
@Suite("Erasures of the log")
struct LogErasureTests {
    static func erasure(
        _ id: String, _ positions: [Int64], reason: String = "asked"
    ) throws -> NewEvent {
        let erasure = Erasure(
            id: id, actor: "dpo", reason: reason, positions: positions, chains: [], facts: [])
        return NewEvent(
            key: EventKey.make(.erasure, [id]),
            attributes: EventAttributes(
                kind: .erasure, source: .operator, trust: .operator, bundleId: BundleId("")),
            receivedAt: Timestamp(milliseconds: 2_000),
            evidence: try Sample.packer.pack(.verbatim(erasure.evidence)))
    }

    static func scope(_ position: Int64, _ chains: [String] = ["chain-n1"]) -> ErasureScope {
        ErasureScope(through: position, chains: chains.map { OriginalTransactionId($0) })
    }

    @Test(
        "Evidence and identifying columns go; hashes, tree and everything else stay",
        arguments: StoreEngine.all)
    func erased(_ engine: StoreEngine) async throws {
        try await engine.withLog { log in
            _ = try await log.append(Sample.events(0..<4))
            let before = try await log.allEvents()
            let tree = try await log.tree()
            let result = try await log.erase(Self.erasure("e", [2, 4]), within: Self.scope(4))
            #expect(result == .appended(position: 5))
            let after = try await log.allEvents()
            for (old, new) in zip(before, after) {
                let isErased = [2, 4].contains(old.position)
                #expect((new == old) == !isErased, "\(old.position)")
                #expect(new.leafHash == old.leafHash && new.key == old.key)
                guard isErased else { continue }
                #expect(new.attributes.chain == nil && new.attributes.notificationUUID == nil)
                #expect(new.attributes.signedAt == old.attributes.signedAt)
                #expect(try await log.event(at: old.position)?.originalBytes() == nil)
                #expect(new.knownLeafData == nil)
            }
            #expect(try await log.extended(CompactRange(), through: 4) == tree)
            #expect(try await log.erasurePositions(after: 0, through: 5) == [5])
            #expect(try await log.erasurePositions(after: 5, through: 9).isEmpty)
            let report = try await log.verify()
            #expect(report.isSound && report.tombstoneCount == 2, "\(report.findings)")
            try await log.purge()
            #expect(try await log.verify().isSound)
            // What comes under the same keys brings nothing back.
            let again = try await log.append([
                try Sample.event("n1"), try Sample.event("n3", price: 7), try Sample.event("n9"),
            ])
            #expect(again == [.duplicate(of: 2), .duplicate(of: 4), .appended(position: 6)])
        }
    }

    @Test(
        "Newer events that may belong to it stop an erasure, and others do not",
        arguments: StoreEngine.all)
    func overtaken(_ engine: StoreEngine) async throws {
        try await engine.withLog { log in
            _ = try await log.append(Sample.events(0..<4))
            let error = await #expect(throws: StoreError.self) {
                try await log.erase(Self.erasure("e", [2]), within: Self.scope(1))
            }
            #expect(error?.code == .erasureOvertaken)
            #expect(try await log.head().position == 4)
            #expect(try await log.event(at: 2)?.evidence != nil)
            // Events after position 2 are of other chains.
            let result = try await log.erase(Self.erasure("e", [2]), within: Self.scope(2))
            #expect(result == .appended(position: 5))
            // An event without a chain may be about a person.
            var receipt = try Sample.event("r", kind: .receipt, evidence: .verbatim([1]))
            receipt.attributes.chain = nil
            _ = try await log.append([receipt])
            let second = await #expect(throws: StoreError.self) {
                try await log.erase(Self.erasure("f", [1]), within: Self.scope(5, ["chain-n0"]))
            }
            #expect(second?.code == .erasureOvertaken)
            _ = try await log.erase(Self.erasure("f", [1]), within: Self.scope(6, ["chain-n0"]))
            // The erasure at position 7 may be that of the same person.
            let third = await #expect(throws: StoreError.self) {
                try await log.erase(Self.erasure("g", [3]), within: Self.scope(6, ["chain-n2"]))
            }
            #expect(third?.code == .erasureOvertaken)
            #expect(try await log.verify().isSound)
        }
    }

    @Test(
        "Events appended unless something was erased after a position are refused then",
        arguments: StoreEngine.all)
    func appendedUnlessErased(_ engine: StoreEngine) async throws {
        try await engine.withLog { log in
            _ = try await log.append(Sample.events(0..<4))
            let first = try await log.append([try Sample.event("n8")], notErasedAfter: 0)
            #expect(first == [.appended(position: 5)])
            _ = try await log.erase(Self.erasure("e", [2]), within: Self.scope(5))
            let error = await #expect(throws: StoreError.self) {
                try await log.append([try Sample.event("n9")], notErasedAfter: 5)
            }
            #expect(error?.code == .erasureOvertaken)
            let head = try await log.head().position
            #expect(head == 6)
            let second = try await log.append([try Sample.event("n9")], notErasedAfter: 6)
            #expect(second == [.appended(position: 7)])
        }
    }

    /// An erasure that states one fact.
    private static func stating(
        _ chain: String, at position: Int64, naming positions: [Int64]
    ) throws -> NewEvent {
        let stated = ChainFact(
            chain: ChainId(
                bundleId: BundleId("com.example"),
                originalTransactionId: OriginalTransactionId(chain)),
            fact: Fact(
                position: position, receivedAt: Timestamp(milliseconds: 1_000), trust: .signed,
                cause: Cause(kind: .notification), signedDate: nil,
                digest: EventKey.make(.notification, ["n1"])))
        let erasure = Erasure(
            id: "e", actor: "dpo", reason: "asked", positions: positions, chains: [],
            facts: [stated])
        return try NewEvent(
            erasure, receivedAt: Timestamp(milliseconds: 2_000), packer: Sample.packer)
    }

    @Test(
        "Facts of an erasure count under random ids at positions that it names, and no others",
        arguments: StoreEngine.all)
    func stated(_ engine: StoreEngine) async throws {
        let random = Pseudonyms.prefix + String(repeating: "0", count: 32)
        let cases: [(String, Int64, [Int64], Bool)] = [
            (random, 2, [2], true), ("chain-n1", 2, [2], false), (random, 3, [2], false),
            ("erased-1", 2, [2], false), ("chain-n1", 2, [], false), (random, 5, [], false),
            (random, -5, [], false), (random, .max, [], false),
        ]
        // The engines share the rule: all cases go into one of them, in soak into each.
        let isWhole = Soak.isOn || engine.testDescription == StoreEngine.sqlite.testDescription
        for (chain, position, positions, isPlausible) in cases.prefix(isWhole ? cases.count : 2) {
            try await engine.withLog { log in
                _ = try await log.append(Sample.events(0..<4))
                let event = try Self.stating(chain, at: position, naming: positions)
                let result = try await log.erase(event, within: Self.scope(4))
                #expect(result == .appended(position: 5))
                let finding = LogFinding(.erasureImplausible, at: 5)
                let found = try await log.verify().findings
                #expect(found == (isPlausible ? [] : [finding]), "\(chain) \(position)")
                let logged = try #require(try await log.event(at: 5))
                #expect(FactDecoder.decode(logged).count == (isPlausible ? 1 : 0))
                // A restore does not apply it to a backup, either.
                let records = try await ErasureRecord.all(of: log)
                #expect(records.count == (isPlausible ? 1 : 0))
            }
        }
    }

    @Test(
        "A copy of a log with tombstones and conflicts is the same log",
        arguments: StoreEngine.all)
    func copied(_ engine: StoreEngine) async throws {
        try await StoreEngine.sqlite.withLog { source in
            _ = try await source.append(Sample.events(0..<3))
            _ = try await source.append([try Sample.event("n1", price: 7)])
            try await engine.withLog { target in
                // The target had begun before the erasure.
                _ = try await LogCopy(from: source, to: target).run()
                _ = try await source.erase(Self.erasure("e", [2]), within: Self.scope(4))
                _ = try await source.append([try Sample.event("n8")])
                _ = try await LogCopy(from: source, to: target).run()
                #expect(try await source.allEvents() == target.allEvents())
                #expect(try await target.event(at: 2)?.evidence == nil)
                #expect(try await target.verify().isSound)
            }
            try await engine.withLog { target in
                _ = try await LogCopy(from: source, to: target).run()
                #expect(try await source.allEvents() == target.allEvents())
                #expect(try await target.verify().isSound)
                let again = try await target.append([try Sample.event("n1")])
                #expect(again == [.duplicate(of: 2)])
            }
        }
    }

    @Test(
        "Erasures under one key, of which the second was a conflict, are applied again, each once",
        arguments: StoreEngine.all)
    func oneKey(_ engine: StoreEngine) async throws {
        try await StoreEngine.sqlite.withLog { source in
            // given
            _ = try await source.append(Sample.events(0..<4))
            try await engine.withLog { backup in
                _ = try await LogCopy(from: source, to: backup).run()
                _ = try await source.erase(Self.erasure("e", [2]), within: Self.scope(4))
                let second = try await source.erase(
                    Self.erasure("e", [4], reason: "asked by another"), within: Self.scope(5))
                #expect(second == .conflict(position: 6))
                let records = try await ErasureRecord.all(of: source)
                // when
                var applied: [Bool] = []
                for record in records + records {
                    applied.append(try await record.apply(to: backup))
                }
                // then
                #expect(applied == [true, true, false, false])
                let head = try await backup.head().position
                #expect(head == 6)
                for position in [2, 4] as [Int64] {
                    let logged = try #require(try await backup.event(at: position))
                    #expect(logged.evidence == nil)
                }
                let report = try await backup.verify()
                #expect(report.isSound && report.tombstoneCount == 2)
            }
        }
    }

    @Test(
        "An erasure without positions is an event like others, and is copied and applied again",
        arguments: StoreEngine.all)
    func empty(_ engine: StoreEngine) async throws {
        try await engine.withLog { log in
            // given
            _ = try await log.append(Sample.events(0..<4))
            try await StoreEngine.sqlite.withLog { backup in
                _ = try await LogCopy(from: log, to: backup).run()
                // when
                let result = try await log.erase(Self.erasure("e", []), within: Self.scope(4))
                // then
                #expect(result == .appended(position: 5))
                let report = try await log.verify()
                #expect(report.isSound && report.tombstoneCount == 0, "\(report.findings)")
                for record in try await ErasureRecord.all(of: log) {
                    var json = JSONWriter()
                    record.write(to: &json)
                    let read = try #require(ErasureRecord(line: json.bytes))
                    let applied = [
                        try await read.belongs(to: backup), try await read.apply(to: backup),
                        try await read.apply(to: backup),
                    ]
                    #expect(applied == [true, true, false])
                }
                #expect(try await backup.erasurePositions(after: 0, through: 9) == [5])
                #expect(try await backup.verify().isSound)
            }
            try await StoreEngine.sqlite.withLog { target in
                _ = try await LogCopy(from: log, to: target).run()
                #expect(try await log.allEvents() == target.allEvents())
            }
        }
    }

    @Test("An erasure that names a position the log does not have changes nothing")
    func missing() async throws {
        try await StoreEngine.sqlite.withLog { log in
            _ = try await log.append(Sample.events(0..<2))
            await #expect(throws: StoreError.self) {
                try await log.erase(Self.erasure("e", [1, 9]), within: Self.scope(2))
            }
            #expect(try await log.head().position == 2)
            #expect(try await log.event(at: 1)?.evidence != nil)
        }
    }

    @Test("Nothing of erased evidence is left in the files")
    func files() async throws {
        let place = try TemporaryDirectory()
        let log = try await EventLog.open(directory: place.path)
        _ = try await log.append(Sample.events(0..<120))
        try await log.checkpoint()
        _ = try await log.append(Sample.events(120..<160))
        let positions = (1...160).filter { $0 % 7 == 0 }.map { Int64($0) }
        _ = try await log.erase(Self.erasure("e", positions), within: Self.scope(160, []))
        try await log.purge()
        for suffix in ["", "-wal"] {
            let bytes = try Data(contentsOf: URL(filePath: place.file("log.sqlite\(suffix)")))
            for position in positions {
                let text = "\"n\(position - 1)\""
                #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text) in \(suffix)")
            }
            #expect(suffix.isEmpty == (bytes.range(of: Data("\"n0\"".utf8)) != nil))
        }
        await log.close()
    }

    @Test("Neither an unnamed tombstone nor evidence that an erasure names is accepted")
    func findings() async throws {
        for (sql, code, position) in [
            (
                "UPDATE evidence SET bytes = NULL WHERE position = 3",
                LogFinding.Code.evidenceErased, 3
            ),
            (
                "UPDATE evidence SET bytes = (SELECT bytes FROM evidence WHERE position = 1)"
                    + " WHERE position = 2", .evidenceNotErased, 2
            ),
            ("UPDATE events SET chain = 'x' WHERE position = 2", .leafHashMismatch, 2),
            ("UPDATE events SET leaf_hash = zeroblob(32) WHERE position = 2", .treeMismatch, nil),
        ] as [(String, LogFinding.Code, Int64?)] {
            let place = try TemporaryDirectory()
            let log = try await EventLog.open(directory: place.path)
            _ = try await log.append(Sample.events(0..<4))
            _ = try await log.erase(Self.erasure("e", [2]), within: Self.scope(4))
            await log.close()
            try LogTampering(path: place.file("log.sqlite")).run(sql)
            let again = try await EventLog.open(directory: place.path)
            let found = try await again.verify().findings
            #expect(found.contains(LogFinding(code, at: position)), "\(sql): \(found)")
            await again.close()
        }
    }
}
