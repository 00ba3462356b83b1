import AppStore
import Foundation
import Ledger
import LedgerTestSupport
import TestSupport
import Testing

@Suite("Maintenance with subledger")
struct UpkeepCommandTests {
    /// A ledger of two chains, of which the second has a storefront of its own.
    private func taken() async throws -> Workplace { try await Self.shared.value.copied() }

    private static let shared = Task {
        let extra = try Evidence.line(
            "SUBSCRIBED", "INITIAL_BUY", 0, at: Evidence.start + 3_000, id: "700000000000001",
            storefront: "ZZQ")
        return try await Workplace.taken(Evidence.lines + [extra], in: .shared())
    }

    /// The projections file in use.
    private func projections(_ place: Workplace) throws -> String {
        place.ledgerFile(
            try FileManager.default.destinationOfSymbolicLink(
                atPath: place.ledgerFile("projections.sqlite")))
    }

    @Test("rebuild reports what it built, into a new file")
    func rebuild() async throws {
        let place = try await taken()
        let before = try projections(place)
        for arguments in [["rebuild"], ["rebuild", "--from-log"]] {
            let outcome = try await place.run(arguments + ["--json"] + place.options)
            #expect(outcome.code == 0)
            let json = try outcome.json()
            #expect(json["subscriptions"]?.int64 == 2)
            #expect(json["position"]?.int64 == 5)
        }
        #expect(try projections(place) != before)
        #expect(try await place.run("rebuild").out.contains("rebuilt 2 chains"))
    }

    @Test("rebuild without projections builds once")
    func rebuildOnce() async throws {
        let place = try await taken()
        let names = {
            try FileManager.default.contentsOfDirectory(
                atPath: place.ledgerFile("")
            ).filter {
                $0.hasPrefix("projections") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
            }
        }
        for name in try names() {
            try FileManager.default.removeItem(atPath: place.ledgerFile(name))
        }
        #expect(try await place.run("rebuild").out.contains("rebuilt 2 chains"))
        #expect(
            try names().sorted() == [
                "projections-\(Lifecycle.reducerVersion)-1.sqlite", "projections.sqlite",
            ])
    }

    @Test("rebuild --check is 0 when all agree, 1 with chain and column after a row was altered")
    func check() async throws {
        let place = try await taken()
        // A rebuild leaves everything in the file, nothing in its write-ahead log.
        #expect(try await place.run("rebuild").code == 0)
        let good = try await place.run("rebuild", "--check", "--json")
        #expect(good.code == 0)
        #expect(try good.json()["count"]?.int64 == 0)
        // The chain's own row, and its class in the sums.
        #expect(try FileDamage.replace("ZZQ", by: "ZZW", in: projections(place)) == 2)
        let bad = try await place.run("rebuild", "--check", "--json")
        #expect(bad.code == 1)
        let difference = try #require(try bad.json()["differences"]?.array?.first)
        #expect(difference["originalTransactionId"]?.string == "700000000000001")
        #expect(difference["columns"]?.array?.map(\.string) == ["subscriptions.storefront"])
        let text = try await place.run("rebuild", "--check")
        #expect(text.code == 1)
        #expect(text.out.contains("700000000000001"))
        #expect(text.out.contains("subscriptions.storefront"))
    }

    @Test("rebuild --check is 1 where only the file is another than this release makes")
    func checkedFile() async throws {
        let place = try await taken()
        #expect(try await place.run("rebuild").code == 0)
        let file = try projections(place)
        #expect(try FileDamage.replace("current_notices", by: "current_notizen", in: file) > 0)
        let bad = try await place.run("rebuild", "--check", "--json")
        #expect(bad.code == 1, "\(bad.err)")
        let report = try bad.json()
        #expect(report["count"]?.int64 == 0)
        #expect(report["fileFindings"]?.array?.map(\.string) == ["schema"])
        let text = try await place.run("rebuild", "--check")
        #expect(text.code == 1 && text.out.contains("tables or views differ"), "\(text.out)")
    }

    @Test("audit verify is 0 when sound, 1 after one bit of the log flipped")
    func audit() async throws {
        let place = try await taken()
        let good = try await place.run("audit", "verify", "--signatures", "--json")
        #expect(good.code == 0)
        #expect(try good.json()["sound"]?.bool == true)
        #expect(try good.json()["events"]?.int64 == 5)
        #expect(try good.json()["signaturesVerified"]?.int64 == 5)
        #expect(
            try FileDamage.replace(
                #""notificationType":"EXPIRED""#, by: #""notificationType":"EXPIREF""#,
                in: place.ledgerFile("log.sqlite")) == 1)
        let bad = try await place.run("audit", "verify", "--json")
        #expect(bad.code == 1)
        #expect(try bad.json()["sound"]?.bool == false)
        let positions = try bad.json()["findings"]?.array?.compactMap { $0["position"]?.int64 }
        #expect(Set(positions ?? []) == [4])
        let text = try await place.run("audit", "verify")
        #expect(text.code == 1)
        #expect(text.out.contains("BAD  position 4: evidenceHashMismatch"))
        #expect(text.out.contains("NOT SOUND"))
    }

    @Test("audit verify is 1 where no checkpoint that the key of --key signed was compared")
    func unsignedAudit() async throws {
        let place = try await Workplace.taken()
        let origin = "example.com/subledger/production"
        var keys: [String] = []
        for (file, of) in [("own.key", origin), ("other.key", origin), ("foreign.key", "foreign")] {
            let made = try await place.run(["audit", "keygen", "--origin", of, file])
            keys.append(made.out.trimmingCharacters(in: .newlines))
        }
        let unsigned = "BAD  no checkpoint that the key of --key signed was compared\n"
        let before = try await place.run("audit", "verify", "--key", keys[0])
        #expect(before.code == 1 && before.out.hasSuffix(unsigned), "\(before.out)")
        try place.write(["audit: { origin: \(origin), keyFile: own.key }"], to: "audit.yaml")
        let signed = try await place.run("audit", "checkpoint", "--config", "audit.yaml")
        #expect(signed.code == 0, "\(signed.err)")
        // Of the third key each checkpoint is a finding already.
        for (key, isListed) in zip(keys, [false, true, false]) {
            let audited = try await place.run("audit", "verify", "--key", key)
            #expect(audited.out.contains(unsigned) == isListed, "\(audited.out)")
            #expect(audited.code == (key == keys[0] ? 0 : 1), "\(audited.out)")
        }
    }

    @Test("audit verify --bundle-id checks the whole log, with the shared secrets of all apps")
    func sealsOfOtherApps() async throws {
        let place = try Workplace(options: ["--config", "apps.yaml"])
        let chains = ["com.example.app", "com.example.other"].map { MadeChain(bundleId: $0) }
        let secrets = [MadeChain.secret, "fedcba9876543210fedcba9876543210"]
        var lines = ["dataDirectory: data", "apps:"]
        var bodies: [String] = []
        for (chain, secret) in zip(chains, secrets) {
            let app = chain.bundleId
            try place.write([secret], to: "secret-of-\(app)")
            lines.append("  - { bundleId: \(app), sharedSecretFile: secret-of-\(app) }")
            let body = chain.notificationV1(
                "INITIAL_BUY", through: 0, at: chain.start, password: secret)
            bodies.append(String(decoding: body, as: UTF8.self))
        }
        try place.write(lines, to: "apps.yaml")
        try place.write(bodies, to: "in.ndjson")
        #expect(try await place.run("ingest", "in.ndjson").code == 0)
        for limit in [[], ["--bundle-id", chains[0].bundleId]] {
            let verify = ["audit", "verify", "--signatures", "--json"] + limit + place.options
            let report = try await place.run(verify).json()
            #expect(report["signaturesVerified"]?.int64 == 2, "\(limit)")
            #expect(report["signaturesNotVerifiable"]?.int64 == 0, "\(limit)")
        }
    }

    @Test("audit verify checks the log alone; one bad row affects no other chain")
    func auditAlone() async throws {
        let place = try await taken()
        let log = URL(filePath: place.ledgerFile("log.sqlite"))
        var data = try Data(contentsOf: log)
        let text = try #require(data.range(of: Data(#"{"notificationType":"EXPIRED""#.utf8)))
        let spoilt = (text.lowerBound - 6)..<text.lowerBound
        data.replaceSubrange(spoilt, with: Data(repeating: 0xFF, count: 6))
        try data.write(to: log)
        let directory = place.file("data/production")
        for name in try FileManager.default.contentsOfDirectory(atPath: directory)
        where name.hasPrefix("facts-") || name.hasPrefix("projections") {
            try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
        }
        let report = try await place.run("audit", "verify", "--signatures")
        #expect(report.code == 1)
        #expect(report.out.contains("BAD  position 4: evidenceUnreadable"))
        #expect(report.out.contains("5 events, 0 of them tombstones without evidence"))
        #expect(report.out.contains("4 events' signatures verified"))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        #expect(!names.contains { $0.hasPrefix("facts-") || $0.hasPrefix("projections") })
        #expect(try await place.run("show", "700000000000001").code == 0)
        #expect(try await place.run("show", Evidence.id).out.contains("unreadable"))
        #expect(try await place.run("rebuild", "--from-log").code == 0)
        #expect(try await place.run("rebuild", "--check").code == 0)
        #expect(try await place.run("ingest", "in.ndjson").code == 0)
        #expect(try await place.run("export", "events").code == 0)
        #expect(try await place.run("export", "events", "--evidence").code == 74)
    }

    @Test("quarantine lists, shows and retries")
    func quarantine() async throws {
        let place = try Workplace()
        let lines = try [
            Evidence.line(
                "SUBSCRIBED", "INITIAL_BUY", 0, at: Evidence.start, id: "9", app: "com.other")
        ]
        try place.write(lines, to: "in.ndjson")
        #expect(try await place.run("ingest", "in.ndjson").code == 1)
        let list = try await place.run("quarantine", "list", "--json")
        #expect(list.code == 0)
        let item = try #require(try list.json()["items"]?.array?.first)
        #expect(item["code"]?.string == "wrongApp")
        #expect(item["bundleId"]?.string == "com.other")
        #expect(item["input"]?.string == "in.ndjson:1")
        let id = String(try #require(item["id"]?.int64))
        let one = try await place.run("quarantine", "show", id, "--json")
        #expect(one.code == 0)
        #expect(try one.json()["content"]?.string?.isEmpty == false)
        let none = try await place.run("quarantine", "show", "999")
        #expect(none.code == 1)
        #expect(none.errorCode == "noSuchItem")
        let early = try await place.run("quarantine", "retry", "--json")
        #expect(early.code == 1)
        #expect(try early.json()["quarantined"]?.int64 == 1)
        let options = ["--data", "data", "--bundle-id", "com.other", "--trust-root", "root.der"]
        let late = try await place.run(["quarantine", "retry", "--json"] + options)
        #expect(late.code == 0)
        #expect(try late.json()["appended"]?.int64 == 1)
        let empty = try await place.run("quarantine", "list")
        #expect(empty.out.contains("0 items"))
        #expect(try await place.run(["show", "9"] + options).code == 0)
    }

    @Test(
        "Untrusted bytes cannot control the terminal: quarantine show escapes them, --json is exact"
    )
    func quarantinedControls() async throws {
        let place = try Workplace()
        // The last byte is no UTF-8.
        let bytes = Data("a.\u{1B}[2Jb.c".utf8) + [0xFF]
        try place.write(bytes, to: "in.ndjson")
        #expect(try await place.run("ingest", "in.ndjson").code == 1)
        let list = try await place.run("quarantine", "list", "--json")
        let id = String(try #require(try list.json()["items"]?.array?.first?["id"]?.int64))
        let text = try await place.run("quarantine", "show", id)
        #expect(text.out.contains("a.\\u001B[2Jb.c"))
        #expect(!text.out.contains("\u{1B}"))
        let json = try await place.run("quarantine", "show", id, "--json")
        let item = try json.json()
        #expect(item["content"]?.string == "a.\u{1B}[2Jb.c\u{FFFD}")
        #expect(item["base64"]?.string == bytes.base64EncodedString())
    }

    @Test("doctor warns of an extra root in Production and is bad without an app, as is serve")
    func doctor() async throws {
        let place = try await taken()
        let outcome = try await place.run("doctor", "--json")
        #expect(outcome.code == 0)
        let json = try outcome.json()
        #expect(json["healthy"]?.bool == true)
        let warnings = json["findings"]?.array?.filter { $0["level"]?.string == "warning" } ?? []
        #expect(warnings.contains { $0["subject"]?.string == "roots" })
        let text = try await place.run("doctor")
        #expect(text.out.contains("WARN roots"))
        let bad = try await place.run(["doctor", "--data", "data"])
        #expect(bad.code == 1)
        #expect(bad.out.contains("BAD  apps: None is configured: the service does not start"))
        let served = try await place.run(["serve", "--data", "data", "--port", "0"])
        #expect(served.code == 78 && served.errorCode == "missingKey")
    }

    // MARK: Stories

    static let stories = Fixtures.repository.appending(path: "Replays")

    @Test("replay prints a story and checks it")
    func replay() async throws {
        let place = try Workplace(options: [])
        let story = UpkeepCommandTests.stories.appending(path: "plain-month-and-three-renewals")
        let reported = try await place.run("replay", story.path)
        #expect(reported.code == 0)
        #expect(reported.out.contains("subscribed → renewing"))
        let checked = try await place.run("replay", "--check", "--json", story.path)
        #expect(checked.code == 0)
        #expect(try checked.json()["passed"]?.bool == true)
    }

    @Test("replay --check is 1 when the story has another result")
    func replayDifference() async throws {
        let place = try Workplace(options: [])
        let story = UpkeepCommandTests.stories.appending(path: "plain-month-and-three-renewals")
        try FileManager.default.copyItem(atPath: story.path, toPath: place.file("story"))
        #expect(
            try FileDamage.replace(
                #""state": "expired""#, by: #""state": "revoked""#,
                in: place.file("story/expected.json")) > 0)
        let outcome = try await place.answered(
            "replay", "--check", "--json", place.file("story"))
        #expect(outcome.code == 1)
        #expect(try outcome.json()["passed"]?.bool == false)
        let reported = try outcome.json()["stories"]?.array?.first
        #expect(reported?["differences"]?.array?.isEmpty == false)
    }

    @Test("A story that is unreadable, or has no expectations, is reported")
    func replayProblems() async throws {
        let place = try Workplace(options: [])
        let missing = try await place.answered("replay", place.file("nowhere"))
        #expect(missing.code == 1)
        #expect(missing.errorCode == "unreadableStory")
        try place.write(["{\"broken\""], to: "broken.ndjson")
        let broken = try await place.run("replay", "broken.ndjson")
        #expect(broken.code == 1)
        #expect(broken.err.contains("broken.ndjson:1"))
        let lines = UpkeepCommandTests.stories
            .appending(path: "plain-month-and-three-renewals/notifications.ndjson")
        let bare = try await place.answered("replay", "--check", lines.path)
        #expect(bare.code == 1)
        #expect(bare.errorCode == "nothingExpected")
        #expect(try await place.run("replay", lines.path).code == 0)
    }
}
