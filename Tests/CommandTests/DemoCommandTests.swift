import AppStore
import Foundation
import Testing

@Suite("subledger demo")
struct DemoCommandTests {
    @Test("With --once it exits, and suggests only what still works")
    func once() async throws {
        let place = try Workplace(options: [])
        let told = try await place.run(
            "demo", "--once", "--chains", "40", "--port", "0", "--data", "demo")
        #expect(told.code == 0, "\(told.err)")
        for gone in ["curl", "api statuses", "listens on", "Ctrl-C"] {
            #expect(!told.out.contains(gone), "\(gone)")
        }
        #expect(told.out.contains(/\d+ notifications arrived\n\(and \d+ transactions/))
        #expect(told.out.contains(/\d+ were lost in an outage/))
        let timeline = try #require(told.out.firstMatch(of: /timeline (\d+) --config/)?.1)
        let shown = try await place.run(
            "timeline", String(timeline), "--config", "demo/subledger.yaml")
        #expect(shown.code == 0, "\(shown.err)")
    }
}
