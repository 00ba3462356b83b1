import AppStore
import LedgerStore
import TestSupport
import Testing

@testable import PostgresStore

/// Callers that append one event after another, and remember what was acknowledged.
struct Writers {
    let logs: [PostgresLog]
    let acknowledged = Acknowledged()
    private let isDone = Flag()

    init(_ logs: [PostgresLog]) { self.logs = logs }

    /// Appends from all callers while `body` runs. Failures that a node answers with 503 are
    /// repeated; any other is an issue.
    func run(_ count: Int = 8, while body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<count {
                group.addTask { [self] in try await append(worker) }
            }
            defer { isDone.set() }
            try await body()
            isDone.set()
            try await group.waitForAll()
        }
    }

    private func append(_ worker: Int) async throws {
        var number = 0
        while !isDone.isSet {
            let id = "w\(worker)-\(number)"
            let event = try Made.event(id)
            do throws(StoreError) {
                let results = try await logs[worker % logs.count].append([event])
                acknowledged.note(id, results[0].position)
                number += 1
            } catch {
                let expected: [StoreError.Code] = [
                    .databaseUnavailable, .commitOutcomeUnknown, .fileLocked, .fileReadOnly,
                ]
                #expect(expected.contains(error.code), "\(error)")
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// Each acknowledged event is in the log once, at its position; others may be there too: those
    /// whose answer was lost when the run ended.
    func expectKept(_ location: SourceLocation = #_sourceLocation) async throws {
        let all = acknowledged.all
        #expect(Set(all.values).count == all.count, sourceLocation: location)
        let report = try await logs[0].verify()
        #expect(report.isSound, "\(report.findings)", sourceLocation: location)
        var found: [String: Int64] = [:]
        var last: Int64 = 0
        while case let page = try await logs[0].events(after: last), let end = page.last {
            for event in page {
                let id = event.attributes.notificationUUID?.rawValue ?? ""
                #expect(found[id] == nil, sourceLocation: location)
                found[id] = event.position
            }
            last = end.position
        }
        for (id, position) in all {
            #expect(found[id] == position, "\(id)", sourceLocation: location)
        }
    }
}
