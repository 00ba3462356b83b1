import AppStore
import Foundation
import Simulator
import Testing

@Suite("subledger backfill, against subledger simulate server")
struct BackfillCommandTests {
    private let apple = APICommandTests()

    @Test("a missing list, or one without an id column, is reported before any request")
    func badLists() async throws {
        try await apple.serving { place, _ in
            let missing = try await place.run("backfill", "nowhere")
            #expect(missing.code == 74)
            #expect(missing.errorCode == "unreadableInput")
            try place.write(["user,email", "1,x"], to: "users.csv")
            let columns = try await place.run("backfill", "users.csv")
            #expect(columns.code == 64)
            #expect(columns.errorCode == "noIdColumn")
        }
    }

    @Test("a CSV export: its column is named, histories are appended, problems are exit code 1")
    func export() async throws {
        try await apple.serving { place, ids in
            try place.write(
                [
                    "attributes,original_store_transaction_id,store",
                    "\"{\"\"a\"\":\"\"b,", "c\"\"}\",\(ids[0]),app_store", "x,\(ids[1]),app_store",
                    "x,GPA.1,play_store", "x,1,app_store", "x,none,app_store",
                ], to: "export.csv")
            let outcome = try await place.run("backfill", "export.csv", "--json")
            #expect(outcome.code == 1, "\(outcome.err)")
            let json = try outcome.json()
            #expect(json["ids"]?.int64 == 3)
            #expect(json["done"]?.int64 == 2)
            #expect(json["unknown"]?.array?.compactMap(\.string) == ["1"])
            #expect(json["column"]?.string == "original_store_transaction_id")
            #expect(json["otherStores"]?.int64 == 1)
            #expect(json["stores"]?.array?.first?["store"]?.string == "playstore")
            #expect(json["stores"]?.array?.first?["records"]?.int64 == 1)
            #expect(json["badLines"]?.array?.first?["line"]?.int64 == 7)
            #expect(json["estimate"]?["requests"]?.int64 == 9)
            #expect(json["position"]?.int64 == json["appended"]?.int64)
            #expect(outcome.err.contains("3 ids to request"))
            let reported = try await place.run("backfill", "export.csv")
            #expect(reported.out.contains("skipped, not from an Apple store: playstore 1\n"))
            let shown = try await place.run(["show", ids[1], "--json", "--data", "data"])
            #expect(shown.code == 0)
        }
    }

    @Test("ids on standard input; all answered is exit code 0")
    func standardInput() async throws {
        try await apple.serving { place, ids in
            let outcome = try await place.run("backfill", input: ids.joined(separator: "\n"))
            #expect(outcome.code == 0, "\(outcome.err)")
            #expect(outcome.out.contains("\(ids.count) of \(ids.count) ids answered"))
            let quick = try await place.run(
                "backfill", "--no-refunds", "--json", input: ids.joined(separator: "\n"))
            #expect(quick.code == 0)
            #expect(try quick.json()["estimate"]?["requests"]?.int64 == Int64(2 * ids.count))
        }
    }

    @Test("a killed run resumes, and ends with everything")
    func killed() async throws {
        let faults = #"[{"fault":"slow","milliseconds":200,"endpoint":"refundHistory"}]"#
        try await apple.serving(faults: faults) { place, ids in
            let list = try place.write(ids, to: "ids")
            let launched = try place.launch(["backfill", list] + place.options)
            _ = try await launched.kill(afterMilliseconds: 150)
            let outcome = try await place.run("backfill", list, "--json")
            #expect(outcome.code == 0, "\(outcome.err)")
            #expect(try outcome.json()["done"]?.int64 == Int64(ids.count))
            let audit = try await place.run(["audit", "verify", "--data", "data"])
            #expect(audit.code == 0)
        }
    }

    @Test("--restart discards the progress of an interrupted run")
    func restart() async throws {
        // The first ids are fetched; Apple then limits the rate of the others.
        let faults =
            #"[{"fault":"rateLimited","milliseconds":600000,"endpoint":"refundHistory","from":9}]"#
        try await apple.serving(faults: faults) { place, _ in
            // given
            let all = MigrateCommandTests.reported.ids(at: MigrateCommandTests.stored).prefix(24)
            try #require(all.count == 24)
            let list = try place.write(Array(all), to: "ids")
            let first = try await place.run("backfill", list, "--json")
            #expect(first.errorCode == "rateLimited", "\(first.err)")
            let left = try #require(try first.json()["left"]?.int64)
            #expect(left > 0 && left < 24)
            // when
            let resumed = try await place.run("backfill", list, "--json")
            let restarted = try await place.run("backfill", list, "--restart", "--json")
            // then
            #expect(try resumed.json()["resumedAt"]?.int64 == 24 - left, "\(resumed.err)")
            #expect(try restarted.json()["resumedAt"]?.int64 == 0, "\(restarted.err)")
        }
    }

    @Test(
        "beside a running backfill none into the same ledger begins; a kill releases the leases",
        .timeLimit(.minutes(20)),
        arguments: [
            (
                [],
                [
                    ["backfill", "ids"], ["backfill", "ids", "--environment", "sandbox"],
                    ["migrate-from", "verify-receipt", "stored"],
                ]
            ),
            (["--environment", "sandbox"], [["backfill", "ids"]]),
        ] as [([String], [[String]])])
    func another(options: [String], others: [[String]]) async throws {
        let faults = #"[{"fault":"slow","milliseconds":60000,"count":1}]"#
        try await apple.serving(faults: faults) { place, ids in
            let list = try place.write(ids, to: "ids")
            _ = try MigrateCommandTests().store(1, in: place)
            let first = try place.launch(["backfill", list] + options + place.options)
            while try !first.outcome(code: 0).err.contains("ids to request") {
                try await Task.sleep(for: .milliseconds(10))
            }
            // However long the others take, it does not end before they are refused.
            first.signal(SIGSTOP)
            for command in others {
                let refused = try await place.run(command + place.options)
                #expect(refused.code == 74, "\(refused.err)")
                #expect(refused.errorCode == "backfillRunning", "\(refused.err)")
            }
            #expect(try await first.kill(afterMilliseconds: 0) == .killed)
            let next = try await place.run("backfill", list, "--json")
            #expect(next.code == 0, "\(next.err)")
            #expect(try next.json()["done"]?.int64 == Int64(ids.count))
        }
    }

    @Test(
        "a key that Apple rejects is exit code 78, and the report states that nothing was fetched")
    func refusedKey() async throws {
        try await apple.serving { place, ids in
            let options = place.options.map { $0 == "SIMULATED1" ? "OTHER" : $0 }
            let list = try place.write(ids, to: "ids")
            let outcome = try await place.run(["backfill", list, "--json"] + options)
            #expect(outcome.code == 78)
            #expect(outcome.errorCode == "unauthorized")
            #expect(try outcome.json()["left"]?.int64 == Int64(ids.count))
        }
    }
}
