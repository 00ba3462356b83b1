import AppStore
import HTTPTypes
import Queries
import Service
import Testing

@testable import Web

@Suite("Pages of one subscription's timeline")
struct TimelinePageTests {
    private let purchase = MadePurchase()

    @Test("An invalid cursor, or a limit out of range, is refused")
    func refused() async throws {
        let cases = [
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
        ]
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for (question, code) in cases {
                let answer = try await client.get("/v1/subscriptions/1/timeline?\(question)")
                #expect(answer.status == 400 && answer.code == code, "\(question)")
            }
        }
    }

    @Test("Pages of any size hold every entry and every interval once, in either order")
    func pages() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, _ in
            let path = "/v1/subscriptions/\(purchase.id)/timeline"
            let whole = try await client.get(path)
            #expect(try await client.get("\(path)?order=oldest").bytes == whole.bytes)
            let first = try await client.get("\(path)?limit=1")
            #expect(first.json["chain"] == whole.json["chain"])
            let all = try #require(whole.json["entries"]?.array)
            let intervals = try #require(whole.json["intervals"]?.array)
            #expect(all.count >= 3 && intervals.count >= 2)
            for order in TimelineOrder.allCases {
                let isNewest = order == .newest
                for limit in 1...all.count + 1 {
                    let pages = try await client.pages(
                        "\(path)?order=\(order.rawValue)", limit: limit)
                    #expect(pages.all("entries") == (isNewest ? all.reversed() : all))
                    #expect(pages.all("intervals") == (isNewest ? intervals.reversed() : intervals))
                    #expect(pages.count == (all.count + limit - 1) / limit)
                }
            }
            // A life that fits comes as the command prints it; an empty page follows the end.
            #expect(whole.json["next"] == nil)
            #expect(try await client.get("\(path)?limit=\(all.count)").bytes == whole.bytes)
            #expect(
                try await client.get("\(path)?limit=\(all.count - 1)").json["next"]?.string != nil)
            for query in ["after=9000000000000~0", "order=newest&after=-9000000000000~0"] {
                let behind = try await client.get("\(path)?\(query)").json
                #expect(behind["entries"]?.array?.isEmpty == true)
                #expect(behind["intervals"]?.array?.isEmpty == true)
                #expect(behind["next"]?.isNull == true)
            }
        }
    }

    @Test("A customer's timeline, newest first, is the reverse of it, by pages of any size")
    func customer() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, _ in
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
                let pages = try await client.pages("\(path)&order=newest", limit: limit)
                #expect(pages.count == (all.count + limit - 1) / limit)
                #expect(pages.all("entries") == all.reversed())
            }
        }
    }
}
