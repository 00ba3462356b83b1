import AppStore
import Foundation
import HTTPTypes
import Ledger
import Queries
import Service
import Testing

@testable import Web

@Suite("Pages of one subscription's timeline")
struct TimelinePageTests {
    private let purchase = MadePurchase()

    @Test(
        "An invalid cursor, or a limit out of range, is refused",
        arguments: [
            ("after=x", "invalidCursor"), ("after=1", "invalidCursor"),
            ("after=1~", "invalidCursor"), ("after=~1", "invalidCursor"),
            ("after=1~-1", "invalidCursor"), ("limit=0", "invalidParameter"),
            ("limit=1001", "invalidParameter"), ("limit=ten", "invalidParameter"),
            ("limit=+1", "invalidParameter"), ("limit=%2B1", "invalidParameter"),
            ("limit=01", "invalidParameter"), ("limit=%201", "invalidParameter"),
            ("limit=18446744073709551617", "invalidParameter"),
            ("after=01~0", "invalidCursor"), ("after=1~00", "invalidCursor"),
            ("after=-0~0", "invalidCursor"), ("after=1~%2B1", "invalidCursor"),
            ("after=%2B1~1", "invalidCursor"), ("after=9223372036854775808~0", "invalidCursor"),
            ("after=1~9223372036854775808", "invalidCursor"),
            ("order=", "invalidParameter"), ("order=Newest", "invalidParameter"),
            ("order=newest&order=newest", "invalidParameter"),
        ])
    func refused(question: String, code: String) async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let answer = try await client.get("/v1/subscriptions/1/timeline?\(question)")
            #expect(answer.status == 400)
            #expect(answer.code == code)
        }
    }

    @Test("Pages of any size hold every entry and every interval once, in order")
    func pages() async throws {
        let purchase = purchase
        try await ServedPlace().serve(renewed: purchase) { client, _ in
            let path = "/v1/subscriptions/\(purchase.id)/timeline"
            let whole = try await client.get(path).json
            let all = try #require(whole["entries"]?.array)
            let intervals = try #require(whole["intervals"]?.array)
            #expect(all.count >= 3 && intervals.count >= 2)
            for limit in 1...all.count + 1 {
                var (seen, spans): ([JSONValue], [JSONValue]) = ([], [])
                var after: String?
                var pageCount = 0
                repeat {
                    let cursor = after.map { "&after=\($0)" } ?? ""
                    let page = try await client.get("\(path)?limit=\(limit)\(cursor)").json
                    let entries = try #require(page["entries"]?.array)
                    #expect(!entries.isEmpty && entries.count <= limit)
                    #expect(page["chain"] == whole["chain"])
                    seen += entries
                    spans += try #require(page["intervals"]?.array)
                    after = page["next"]?.string
                    pageCount += 1
                } while after != nil && pageCount <= all.count
                #expect(seen == all)
                #expect(spans == intervals)
                #expect(pageCount == (all.count + limit - 1) / limit)
            }
        }
    }

    @Test("Pages of any size, newest first, hold the reverse of the timeline")
    func newestFirst() async throws {
        let purchase = purchase
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let path = "/v1/subscriptions/\(purchase.id)/timeline"
            let oldest = try await client.get("\(path)?order=oldest")
            #expect(try await client.get(path).bytes == oldest.bytes)
            let all = try #require(oldest.json["entries"]?.array)
            let intervals = try #require(oldest.json["intervals"]?.array)
            for limit in 1...all.count + 1 {
                var (seen, spans): ([JSONValue], [JSONValue]) = ([], [])
                var (after, pageCount): (String?, Int) = (nil, 0)
                repeat {
                    let cursor = after.map { "&after=\($0)" } ?? ""
                    let page = try await client.get(
                        "\(path)?order=newest&limit=\(limit)\(cursor)"
                    ).json
                    let entries = try #require(page["entries"]?.array)
                    #expect(!entries.isEmpty && entries.count <= limit)
                    seen += entries
                    spans += try #require(page["intervals"]?.array)
                    after = page["next"]?.string
                    pageCount += 1
                } while after != nil && pageCount <= all.count
                #expect(seen == all.reversed())
                #expect(spans == intervals.reversed())
            }
            let before = try await client.get("\(path)?order=newest&after=-9000000000000~0").json
            #expect(before["entries"]?.array?.isEmpty == true)
            #expect(before["intervals"]?.array?.isEmpty == true)
            #expect(before["next"]?.isNull == true)
            let reading = try await host.reading(purchase.id, QueryScope())
            let page = reading.page(.newest, limit: 1)
            #expect(page.entries.first?.at == reading.entries.last?.at)
            #expect(page.next?.cursor != nil)
        }
    }

    @Test("A customer's timeline, newest first, is the reverse of it, by pages of any size")
    func customer() async throws {
        let purchase = purchase
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let actor: HTTPFields = [.actor: "sara", .reason: "ticket"]
            let link = "/v1/customers/user-42/subscriptions/\(purchase.id)"
            #expect(try await client.send(.put, link, actor).status == 200)
            let note = try await client.send(.post, "/v1/customers/user-42/notes", actor)
            let position = try #require(note.json["position"]?.int64)
            let path = "/v1/customers/user-42/timeline?minPosition=\(position)"
            let whole = try await client.get(path).json
            let all = try #require(whole["entries"]?.array)
            #expect(all.count >= 2)
            for limit in 1...all.count + 1 {
                var seen: [JSONValue] = []
                var (after, pageCount): (String?, Int) = (nil, 0)
                repeat {
                    let cursor = after.map { "&after=\($0)" } ?? ""
                    let page = try await client.get(
                        "\(path)&order=newest&limit=\(limit)\(cursor)"
                    ).json
                    seen += try #require(page["entries"]?.array)
                    after = page["next"]?.string
                    pageCount += 1
                } while after != nil && pageCount <= all.count
                #expect(seen == all.reversed())
            }
            let reading = try await host.reading(of: CustomerId("user-42"), QueryScope())
            #expect(reading.page(.newest).entries.map(\.at) == reading.entries.map(\.at).reversed())
        }
    }

    @Test(
        "A life that fits comes as the command prints it; an empty page follows the last entry")
    func ends() async throws {
        let purchase = purchase
        try await ServedPlace().serve(renewed: purchase) { client, _ in
            let path = "/v1/subscriptions/\(purchase.id)/timeline"
            let whole = try await client.get(path)
            #expect(whole.json["next"] == nil)
            let count = try #require(whole.json["entries"]?.array).count
            #expect(try await client.get("\(path)?limit=\(count)").bytes == whole.bytes)
            #expect(try await client.get("\(path)?limit=\(count - 1)").json["next"]?.string != nil)
            let behind = try await client.get("\(path)?after=9000000000000~0").json
            #expect(behind["entries"]?.array?.isEmpty == true)
            #expect(behind["intervals"]?.array?.isEmpty == true)
            #expect(behind["next"]?.isNull == true)
        }
    }
}
