import AppStore
import Foundation
import LedgerTestSupport
import Simulator
import Testing

@Suite("subledger migrate-from verify-receipt, against subledger simulate server")
struct MigrateCommandTests {
    private let apple = APICommandTests()
    /// The lives of the served API.
    static let reported = OriginalStoreKit(ServedRecords(HistoryPlan(limit: .chains(200))))
    static let stored = Timestamp(milliseconds: 1_767_225_600_000)

    /// Writes responses about some customers into a directory; returns their ids.
    func store(_ count: Int, in place: Workplace) throws -> [String] {
        let ids = Array(Self.reported.ids(at: Self.stored).prefix(count))
        try FileManager.default.createDirectory(
            atPath: place.file("stored/answers"), withIntermediateDirectories: true)
        for id in ids {
            let body = try #require(Self.reported.verifyReceipt(of: id, at: Self.stored))
            try place.write(Data(body), to: "stored/answers/\(id).json")
        }
        return ids
    }

    @Test("without a directory or a usable key, and with --dry-run, nothing is written")
    func planOnly() async throws {
        let place = try Workplace()
        let missing = try await place.run("migrate-from", "verify-receipt", "stored")
        #expect(missing.code == 74 && missing.errorCode == "unreadableInput", "\(missing.err)")
        _ = try store(3, in: place)
        let dry = try await place.run(
            "migrate-from", "verify-receipt", "stored", "--dry-run", "--json")
        #expect(dry.code == 0, "\(dry.err)")
        let plan = try dry.json()
        #expect(plan["customers"]?.int64 == 3)
        #expect(plan["requests"]?.int64 == 9)
        #expect(plan["dryRun"]?.bool == true)
        #expect(plan["ingest"]?.isNull == true)
        let keyless = try await place.run("migrate-from", "verify-receipt", "stored")
        #expect(keyless.code == 78)
        #expect(keyless.errorCode == "missingKey")
        #expect(keyless.out.contains("3 ids to request: at least 9 requests"))
        #expect(keyless.out.contains("nothing was written and no request was sent"))
        let unusable = try await place.run(
            "migrate-from", "verify-receipt", "stored", "--json", "--key-id", "k", "--issuer-id",
            "57246542-96fe-1a63-e053-0824d011072a", "--key-file", "none.p8")
        #expect(unusable.code == 78 && unusable.errorCode == "unreadableFile", "\(unusable.err)")
        #expect(try unusable.json()["customers"]?.int64 == 3)
        #expect(!FileManager.default.fileExists(atPath: place.file("data")))
    }

    @Test("after the plan, a key whose app is not named is said to be that, and none to be none")
    func keyOfNoApp() async throws {
        let place = try Workplace()
        try place.write(
            ["dataDirectory: data", "apps: [{ bundleId: \(Workplace.app) }, { bundleId: a.b }]"],
            to: "apps.yaml")
        let migrate = [
            "migrate-from", "verify-receipt", "stored", "--json", "--config", "apps.yaml",
        ]
        try FileManager.default.createDirectory(
            atPath: place.file("stored"), withIntermediateDirectories: false)
        let empty = try await place.run(migrate)
        #expect(empty.code == 78 && empty.errorCode == "missingKey", "\(empty.err)")
        #expect(try empty.json()["ingest"]?.isNull == true)
        _ = try store(1, in: place)
        let keyed = ["--key-id", "k", "--issuer-id", "i", "--key-file", "key.p8"]
        let unnamed = try await place.run(migrate + keyed)
        #expect(unnamed.code == 64 && unnamed.errorCode == "ambiguousApp", "\(unnamed.err)")
        #expect(try unnamed.json()["customers"]?.int64 == 1)
        #expect(!FileManager.default.fileExists(atPath: place.file("data")))
    }

    @Test("a file or directory whose name is not UTF-8 is an unusable input")
    func undecodableName() async throws {
        let place = try Workplace()
        _ = try store(1, in: place)
        let names = ["stored/x", "stored/answers/y"].map { name -> [CChar] in
            place.file(name).utf8.map { CChar(bitPattern: $0) } + [CChar(bitPattern: 0xE9), 0]
        }
        let descriptor = open(names[0], O_CREAT | O_WRONLY, 0o600)
        try #require(descriptor >= 0)
        close(descriptor)
        try #require(mkdir(names[1], 0o700) == 0)
        let outcome = try await place.run(
            "migrate-from", "verify-receipt", "stored", "--dry-run", "--json")
        #expect(outcome.code == 1)
        let plan = try outcome.json()
        #expect(plan["customers"]?.int64 == 1)
        let bad = plan["badInputs"]?.array ?? []
        #expect(bad.map { $0["input"]?.string } == ["answers/y\u{FFFD}", "x\u{FFFD}"])
        #expect(bad.allSatisfy { $0["code"]?.string == "unreadableInput" })
        unlink(names[0])
        rmdir(names[1])
    }

    @Test("customers are ingested, fetched and compared; an unusable file is exit code 1")
    func migrated() async throws {
        try await apple.serving { place, _ in
            let ids = try store(5, in: place)
            let outcome = try await place.run("migrate-from", "verify-receipt", "stored", "--json")
            #expect(outcome.code == 0, "\(outcome.err)")
            let json = try outcome.json()
            #expect(json["ingest"]?["appended"]?.int64 == 5)
            #expect(json["compared"]?.int64 == 5)
            let report = json["backfill"]?.array?.first?["report"]
            #expect(report?["done"]?.int64 == 5)
            let shown = try await place.run(["show", ids[0], "--json", "--data", "data"])
            #expect(try shown.json()["trust"]?.string == "signed")
            try place.write(Data("nothing".utf8), to: "stored/x.txt")
            let again = try await place.run("migrate-from", "verify-receipt", "stored")
            #expect(again.code == 1)
            #expect(again.err.contains("x.txt:1: notOriginalStoreKit"))
            #expect(again.out.contains("stored evidence: 0 appended, 5 duplicates"))
            #expect(again.out.contains("customers differ from their receipts"))
        }
    }

    @Test("a key is read once, since a pipe cannot be read again")
    func pipedKey() async throws {
        try await apple.serving { place, _ in
            _ = try store(2, in: place)
            try FileManager.default.copyItem(
                atPath: place.options[try #require(place.options.firstIndex(of: "--key-file")) + 1],
                toPath: place.file("key.p8"))
            let script =
                #"cat key.p8 | "$0" migrate-from verify-receipt stored --json "$@""#
                + " --key-file /dev/stdin"
            let outcome = try await place.program(
                "/bin/sh", ["-c", script, Workplace.binary] + place.options)
            #expect(outcome.code == 0, "\(outcome.err)")
            #expect(try outcome.json()["compared"]?.int64 == 2)
        }
    }

    @Test("after one app or environment stopped the next is fetched; a refused key names its app")
    func stopped() async throws {
        let faults =
            #"[{"fault":"rateLimited","milliseconds":600000,"count":1,"#
            + #""endpoint":"transactionHistory"}]"#
        try await apple.serving(faults: faults) { place, _ in
            let files = try store(3, in: place).map { "stored/answers/\($0).json" }
            // The server accepts the key for the other app only.
            let refused = "com.example.aa"
            for (file, text, other) in [
                (files[0], Workplace.app, refused),
                (files[2], #""environment":"Production""#, #""environment":"Sandbox""#),
            ] {
                let body = try String(contentsOfFile: place.file(file), encoding: .utf8)
                try place.write([body.replacingOccurrences(of: text, with: other)], to: file)
            }
            let apps = try place.configured([Workplace.app, refused])
            let outcome = try await place.run(
                ["migrate-from", "verify-receipt", "stored", "--json"] + apps)
            #expect(outcome.code == 78)
            #expect(outcome.err.contains("error: unauthorized: \(refused): "), "\(outcome.err)")
            let parts = try outcome.json()["backfill"]?.array ?? []
            #expect(
                parts.map { $0["bundleId"]?.string } == [refused, Workplace.app, Workplace.app])
            #expect(
                parts.map { $0["environment"]?.string } == ["Production", "Production", "Sandbox"])
            let stops = parts.map { $0["report"]?["stopped"]?.string }
            #expect(stops == ["unauthorized", "rateLimited", nil])
        }
    }

    @Test("a killed run resumes, and ends with everything")
    func killed() async throws {
        let faults = #"[{"fault":"slow","milliseconds":200,"endpoint":"refundHistory"}]"#
        try await apple.serving(faults: faults) { place, _ in
            _ = try store(6, in: place)
            let launched = try place.launch(
                ["migrate-from", "verify-receipt", "stored"] + place.options)
            _ = try await launched.kill(afterMilliseconds: 400)
            let outcome = try await place.run("migrate-from", "verify-receipt", "stored", "--json")
            #expect(outcome.code == 0, "\(outcome.err)")
            let report = try outcome.json()["backfill"]?.array?.first?["report"]
            #expect(report?["done"]?.int64 == 6)
            let audit = try await place.run(["audit", "verify", "--data", "data"])
            #expect(audit.code == 0)
        }
    }

    // MARK: api verify-receipt

    /// Options of `api verify-receipt` that lead to the served API, without a key.
    private func asking(_ place: Workplace, secret: String) throws -> [String] {
        try place.write(Data("\(secret)\n".utf8), to: "secret")
        try place.write(
            [
                "dataDirectory: data", "apps:", "  - bundleId: com.example.app",
                "    sharedSecretFile: secret",
            ], to: "subledger.yaml")
        let address = try #require(place.options.last)
        return ["--base-url", address, "--json"]
    }

    @Test("verify-receipt prints Apple's response, and appends it with --append")
    func verifyReceipt() async throws {
        try await apple.serving { place, _ in
            let id = try #require(Self.reported.ids(at: Self.stored).first)
            let contents = try #require(Self.reported.receipt(of: id, at: Self.stored))
            try place.write(Data(TestAuthority.receipts.sign(contents)), to: "receipt")
            let options = try asking(place, secret: SimulatedAPI.usualSharedSecret)
            let shown = try await place.run(["api", "verify-receipt", "receipt"] + options)
            #expect(shown.code == 0, "\(shown.err)")
            let json = try shown.json()
            #expect(json["environment"]?.string == "Production")
            #expect(json["ingest"]?.isNull == true)
            let info =
                json["answers"]?.array?.first?["latest_receipt_info"]?.array
                ?? json["answers"]?.array?.first?["receipt"]?["in_app"]?.array
            #expect(info?.first?["original_transaction_id"]?.string == id)
            #expect(!FileManager.default.fileExists(atPath: place.file("data")))
            let taken = try await place.run(
                ["api", "verify-receipt", "receipt", "--append"] + options)
            #expect(taken.code == 0, "\(taken.err)")
            #expect(try taken.json()["ingest"]?["appended"]?.int64 == 1)
            let chain = try await place.run(["show", id, "--json"])
            #expect(try chain.json()["trust"]?.string == "transport")
        }
    }

    @Test("a wrong secret names the app and what to do; a receipt of an unknown app is not sent")
    func verifyReceiptRefused() async throws {
        try await apple.serving { place, _ in
            let id = try #require(Self.reported.ids(at: Self.stored).first)
            let contents = try #require(Self.reported.receipt(of: id, at: Self.stored))
            try place.write(Data(TestAuthority.receipts.sign(contents)), to: "receipt")
            let options = try asking(place, secret: "another-secret-of-old")
            let outcome = try await place.run(["api", "verify-receipt", "receipt"] + options)
            #expect(outcome.code == 78)
            #expect(outcome.errorCode == "wrongSharedSecret")
            #expect(outcome.err.contains("com.example.app: "))
            #expect(outcome.err.contains("apps[].sharedSecretFile"))
            #expect(!outcome.err.contains("another-secret-of-old"))
            var foreign = contents
            foreign.attributes[2] = .text(2, "com.example.other")
            try place.write(Data(TestAuthority.receipts.sign(foreign)), to: "foreign")
            let other = try await place.run(["api", "verify-receipt", "foreign"] + options)
            #expect(other.code == 1)
            #expect(other.errorCode == "wrongApp")
            let plain = try await place.run([
                "api", "verify-receipt", "receipt", "--base-url", "http://example.com",
            ])
            #expect(plain.code == 78)
            let missing = try await place.run(["api", "verify-receipt", "nowhere"] + options)
            #expect(missing.code == 74)
        }
    }
}
