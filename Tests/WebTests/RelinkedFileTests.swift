import AppStore
import Foundation
import LedgerStore
import Projection
import SQLiteStore
import Service
import Testing

@testable import Web

/// While a service projects it keeps its file open; other processes read the file that the link
/// names.
@Suite("A projections link that is changed manually under a service")
struct RelinkedFileTests {
    private func purchase(_ number: Int64) -> MadePurchase {
        var purchase = MadePurchase()
        purchase.id = String(500_000_000_000_000 + number)
        return purchase
    }

    /// Notifies until the linked file holds all of it; returns how many it took.
    private func notify(
        from first: Int64, _ client: WebClient, until isDone: () async throws -> Bool
    ) async throws -> Int64 {
        var number = first
        repeat {
            let answer = try await client.notify(purchase(number).notificationBody())
            #expect(answer.status == 200)
            let path = "/v1/subscriptions/\(purchase(number).id)"
            #expect(try await client.ask("\(path)?minPosition=\(number)").status == 200)
            number += 1
        } while try await !isDone() && number < first + 1_000
        return number
    }

    /// Targets of the link.
    enum Target: CaseIterable {
        case olderFile
        case garbage
        case log
    }

    @Test(
        "It continues in the linked file, or in a new one, and reports it",
        arguments: Target.allCases)
    func relinked(target: Target) async throws {
        let codes = LogCodes()
        var place = try ServedPlace()
        place.logger = codes.logger
        let files = DerivedFiles.projections(in: place.directory(of: .production))
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let next = try await notify(from: 1, client) { true }
            let first = try #require(files.current())
            // A copy, closed and complete: a file of the same kind that holds slightly less of the
            // log.
            let named = target == .log ? "log.sqlite" : DerivedFiles.name(of: files.newPath())
            if target == .olderFile {
                try await host.ledger(.production).snapshot(atLeast: 1, limit: .seconds(60))
                    .projections.walCheckpoint()
                try FileManager.default.copyItem(atPath: first, toPath: files.path(of: named))
            } else if target == .garbage {
                try Data(repeating: 0x41, count: 16_384)
                    .write(to: URL(filePath: files.path(of: named)))
            }
            // The projector is stopped while it projects.
            #expect(
                try await client.notify(purchase(next).notificationBody()).status == 200)
            let link = files.path(of: files.linkName)
            #expect(symlink(named, link + ".new") == 0)
            #expect(rename(link + ".new", link) == 0)
            _ = try await notify(from: next + 1, client) {
                guard let path = files.current(), path != first,
                    let store = try? ProjectionsStore(path: path)
                else { return false }
                let position = try await store.checkpoint().position
                try store.close()
                return position > next
            }
            let path = try #require(files.current())
            #expect((DerivedFiles.name(of: path) == named) == (target == .olderFile))
            #expect(path != first)
        }
        switch target {
        case .olderFile: break
        case .garbage: #expect(codes.all.contains("projectionsDamaged"))
        case .log: #expect(codes.all.contains("projectionsForeign"))
        }
    }
}
