import LedgerStore
import LedgerTestSupport
import TestSupport
import Testing

/// The guarantees of every engine for concurrent appends (`LedgerLog`).
@Suite("Any log: several appenders")
struct StoreConcurrencyConformance {
    @Test(
        "Batches stay together and in order, each under its answers; positions are contiguous",
        arguments: StoreEngine.all)
    func manyCallers(engine: StoreEngine) async throws {
        try await engine.withLog { store in
            let answers = try await withThrowingTaskGroup(of: [Int64].self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let events = try Sample.events(number * 5..<number * 5 + 5)
                        let positions = try await store.append(events).map(\.position)
                        let row = try await store.event(at: positions[2])
                        #expect(row?.event.key == events[2].key)
                        return positions
                    }
                }
                return try await group.reduce(into: [[Int64]]()) { $0.append($1) }
            }
            for positions in answers {
                #expect(positions == Array(positions[0]..<positions[0] + 5))
            }
            #expect(answers.flatMap { $0 }.sorted() == Array(1...300))
            #expect(try await store.head().position == 300)
        }
    }

    @Test("The same event from many callers is stored once", arguments: StoreEngine.all)
    func sameEvent(engine: StoreEngine) async throws {
        try await engine.withLog { store in
            let results = try await withThrowingTaskGroup(of: [AppendResult].self) { group in
                for number in 0..<40 {
                    group.addTask {
                        try await store.append([
                            try Sample.event("n", signature: UInt8(number)),
                            try Sample.event("n", price: 5, signature: UInt8(number)),
                        ])
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let new = results.filter { if case .duplicate = $0 { false } else { true } }
            #expect(Set(new) == [.appended(position: 1), .conflict(position: 2)])
            #expect(new.count == 2)
            #expect(results.count == 80)
            #expect(try await store.head().position == 2)
        }
    }

    @Test("Rows below the head are complete while others append", arguments: StoreEngine.all)
    func prefix(engine: StoreEngine) async throws {
        try await engine.withLog { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        _ = try await store.append(Sample.events(number * 3..<number * 3 + 3))
                    }
                    group.addTask {
                        let head = try await store.head()
                        let rows = try await store.events(
                            after: 0, through: head.position, limit: .max)
                        #expect(rows.map(\.position) == Array(1..<head.position + 1))
                        // Reading again returns the same rows.
                        let again = try await store.events(
                            after: 0, through: head.position, limit: .max)
                        #expect(again == rows)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.head().position == 90)
        }
    }

    @Test("Two open stores append to one log", arguments: StoreEngine.all)
    func twoProcesses(engine: StoreEngine) async throws {
        let place = try TemporaryDirectory()
        let both = [try await engine.open(place), try await engine.open(place)]
        let results = try await withThrowingTaskGroup(of: [AppendResult].self) { group in
            for open in both {
                for start in stride(from: 0, to: 100, by: 10) {
                    group.addTask { try await open.append(Sample.events(start..<start + 10)) }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let appended = results.filter { if case .appended = $0 { true } else { false } }
        #expect(Set(appended.map(\.position)) == Set(1...100))
        #expect(appended.count == 100 && results.count == 200)
        #expect(try await both[0].head() == both[1].head())
        #expect(try await both[1].verify().isSound)
        for open in both { await open.close() }
    }

    // The engines share the queue: ten thousand events go into one of them, in soak into each.
    @Test(
        "Under overload, events are answered durably or refused",
        arguments: Soak.isOn ? StoreEngine.all : [.sqlite])
    func flood(engine: StoreEngine) async throws {
        try await engine.withLog { store in
            let count = LogLimits.queueEventCount / LogLimits.batchEventCount + 2
            let batches = try (0..<count).map { number in
                try (0..<LogLimits.batchEventCount).map {
                    try Sample.command("c\(number)-\($0)", [1])
                }
            }
            let answered = await withTaskGroup(of: Int.self) { group in
                for batch in batches {
                    group.addTask {
                        do throws(StoreError) {
                            return try await store.append(batch).count
                        } catch {
                            #expect(error.code == .queueFull)
                            return 0
                        }
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(try await store.head().position == Int64(answered))
            #expect(answered >= LogLimits.batchEventCount)
        }
    }
}
