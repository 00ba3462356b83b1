import AppStore
import Testing

@testable import AppStoreAPI

@Suite("Pages")
struct PagingTests {
    func page(_ items: [String], _ revision: String?, _ hasMore: Bool) -> ScriptedTransport.Step {
        var response = HistoryResponse()
        response.signedTransactions = items
        response.revision = revision
        response.hasMore = hasMore
        return .answer(TransportResponse(status: 200, body: response.encoded()))
    }

    /// The items of a whole walk, and its failure.
    func walk(_ asked: Asked) async -> (items: [String], failure: APIFailure?) {
        var items: [String] = []
        let failure = await Asked.failure {
            for try await page in asked.client.refundHistoryPages("1", in: .only(.production)) {
                items += page.value.signedItems
            }
        }
        return (items, failure)
    }

    @Test("pages follow one another by their revisions, to the last")
    func pages() async throws {
        let asked = try Asked([
            page(["a"], "1", true), page(["b", "c"], "2", true), page(["d"], "3", false),
        ])
        let walked = await walk(asked)
        #expect(walked.items == ["a", "b", "c", "d"])
        #expect(walked.failure == nil)
        #expect(
            asked.transport.requests.map(\.target).map { $0.split(separator: "?").dropFirst() }
                == [[], ["revision=1"], ["revision=2"]])
    }

    @Test("a page that leads back ends the walk, and earlier pages are kept")
    func loop() async throws {
        let asked = try Asked([page(["a"], "1", true), page(["b"], "1", true)])
        let walked = await walk(asked)
        #expect(walked.items == ["a", "b"])
        #expect(walked.failure?.code == .endlessPages)
        #expect(asked.transport.requests.count == 2)
    }

    @Test("a page that announces another without a token ends the walk")
    func nowhere() async throws {
        let walked = await walk(try Asked([page(["a"], nil, true)]))
        #expect(walked.items == ["a"])
        #expect(walked.failure?.code == .endlessPages)
    }

    @Test("empty pages are accepted up to the bound")
    func barren() async throws {
        let bound = APILimits.barrenPageCount
        for (count, isTooMuch) in [(bound - 1, false), (bound, true)] {
            let empty = (0..<count).map { page([], "\($0)", true) }
            let walked = await walk(try Asked(empty + [page(["z"], "end", false)]))
            #expect((walked.failure?.code == .endlessPages) == isTooMuch)
            #expect(walked.items == (isTooMuch ? [] : ["z"]))
        }
    }

    @Test("repeated payloads are not new, whatever their signatures")
    func sameAgain() async throws {
        let pages = (0...APILimits.barrenPageCount).map {
            page(["h.p.s\($0)"], "\($0)", true)
        }
        let walked = await walk(try Asked(pages))
        #expect(walked.failure?.code == .endlessPages)
        #expect(walked.items.count == APILimits.barrenPageCount + 1)
    }

    @Test(
        "an expired token restarts the walk, a few times",
        arguments: [
            Int64(4_000_017), 4_000_014,
        ])
    func expired(_ number: Int64) async throws {
        let once = try Asked([
            page(["a"], "1", true), .refusal(number), page(["a"], "2", true),
            page(["b"], "3", false),
        ])
        let walked = await walk(once)
        #expect(walked.items == ["a", "a", "b"])
        #expect(walked.failure == nil)
        var steps: [ScriptedTransport.Step] = []
        for round in 0...APILimits.restartCount {
            steps += [page(["a"], "\(round)", true), .refusal(number)]
        }
        let always = await walk(try Asked(steps))
        #expect(always.failure?.appleCode?.rawValue == number)
        #expect(always.items.count == APILimits.restartCount + 1)
    }

    @Test("a rejection of the first page does not restart the walk")
    func refusedAtOnce() async throws {
        let asked = try Asked([.refusal(4_000_017)])
        #expect(await walk(asked).failure?.code == .refusedByApple)
        #expect(asked.transport.requests.count == 1)
    }
}
