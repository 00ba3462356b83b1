import AppStore
import Faults
import Foundation
import HTTPTypes
import HummingbirdTesting
import Intake
import LedgerStore
import Projection
import SQLiteStore
import Service
import Signing
import Testing

@testable import Web

@Suite("Refusals that Apple retries")
struct RefusalTests {
    private let purchase = MadePurchase()

    @Test("Of an app that is not configured: 503, and quarantined")
    func otherApp() async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            var other = purchase
            other.bundleId = "com.example.other"
            let answer = try await client.notify(other.notificationBody())
            #expect(answer.status == 503 && answer.code == "wrongApp")
            #expect(answer.headers[.retryAfter] != nil)
            let items = try await Quarantine(ledger: host.ledger(.production).ledger).items()
            #expect(items.map(\.standing) == [.genuineForeign])
            #expect(items.first?.bundleId?.rawValue == "com.example.other")
        }
    }

    @Test("Of another appAppleId: 503, and quarantined as genuine")
    func otherApple() async throws {
        var place = try ServedPlace()
        place.configuration.apps[0].appAppleId = 1
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let answer = try await client.notify(purchase.notificationBody())
            #expect(answer.status == 503 && answer.code == "wrongApp")
            let items = try await Quarantine(ledger: host.ledger(.production).ledger).items()
            #expect(items.map(\.standing) == [.genuineConfigured])
        }
    }

    @Test("Of an environment that is not served: 503, and quarantined as genuine in Production")
    func otherEnvironment() async throws {
        var place = try ServedPlace()
        place.environments = [.production]
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            var other = purchase
            other.environment = .sandbox
            let answer = try await client.notify(other.notificationBody())
            #expect(answer.status == 503 && answer.code == "wrongEnvironment")
            #expect(answer.headers[.retryAfter] != nil)
            let ledger = try host.ledger(.production).ledger
            let items = try await Quarantine(ledger: ledger).items()
            #expect(items.map(\.standing) == [.genuineConfigured])
            #expect(items.first?.environment == "Sandbox")
            let head = try await ledger.log.head()
            #expect(head.position == 0)
        }
    }

    @Test("Xcode's data where it is not served: refused, in no ledger")
    func xcode() async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            var local = purchase
            local.environment = .xcode
            let answer = try await client.notify(local.notificationBody())
            #expect(answer.status == 400 && answer.code == "wrongEnvironment")
            for ledger in host.ledgers {
                #expect(try await ledger.ledger.log.head().position == 0)
            }
        }
    }

    @Test("Of an untrusted certificate chain: 400, and a copy in quarantine")
    func untrusted() async throws {
        var place = try ServedPlace()
        place.roots = .apple
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let answer = try await client.notify(purchase.notificationBody())
            #expect(answer.status == 400 && answer.code == "untrustedRoot")
            let items = try await Quarantine(ledger: host.ledger(.production).ledger).items()
            #expect(items.map(\.standing) == [.unverifiable])
        }
    }

    /// What `/metrics` states while the log cannot be written, and afterwards.
    private static let lockedMetrics = [
        "subledger_ready 0", #"subledger_append_failing{environment="production"} 1"#,
        #"subledger_append_failing{environment="sandbox"} 0"#,
        #"subledger_quarantine_items{environment="production"} 1"#,
        #"subledger_quarantined_total{environment="production"} 1"#,
    ]
    private static let writableMetrics = [
        "subledger_ready 1", #"subledger_append_failing{environment="production"} 0"#,
        #"subledger_quarantine_items{environment="production"} 0"#,
        #"subledger_quarantined_total{environment="production"} 1"#,
    ]

    @Test("A log locked by another process: 503, retried, and then accepted, as the metrics state")
    func locked() async throws {
        let place = try ServedPlace()
        let body = try purchase.notificationBody()
        let path = place.directory(of: .production) + "/log.sqlite"
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let holder = try LockHolder(path: path)
            // Not ready before anything was refused.
            let ready = try await client.get("/readyz")
            #expect(
                ready.status == 503
                    && ready.json["problems"]?.array?.first?["code"]?.string == "fileLocked")
            let answer = try await client.notify(body)
            #expect(answer.status == 503 && answer.code == "fileLocked")
            #expect(try await client.get("/readyz").status == 503)
            let operations = try host.ledger(.production).ledger.operations
            #expect(try await operations.quarantineCount() == 1)
            let failing = try await client.get("/metrics").text
            for line in RefusalTests.lockedMetrics {
                #expect(failing.contains(line + "\n"), "\(line)")
            }
            await holder.release()
            #expect(try await client.notify(body).status == 200)
            // The copy is of an event in the log.
            #expect(try await operations.quarantineCount() == 0)
            #expect(try await client.get("/readyz").status == 200)
            let writable = try await client.get("/metrics").text
            for line in RefusalTests.writableMetrics {
                #expect(writable.contains(line + "\n"), "\(line)")
            }
        }
    }

    @Test("Readiness for one environment leaves the problems of the others out")
    func oneEnvironment() async throws {
        let place = try ServedPlace()
        let path = place.directory(of: .sandbox) + "/log.sqlite"
        let body = try purchase.notificationBody()
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            let holder = try LockHolder(path: path)
            for (query, status) in [
                ("", 503), ("?environment=sandbox", 503), ("?environment=production", 200),
            ] {
                let ready = try await client.get("/readyz\(query)")
                #expect(ready.status == status, "\(query)")
                let problems = ready.json["problems"]?.array ?? []
                #expect(
                    problems.map { $0["environment"]?.string }
                        == (status == 200 ? [] : ["sandbox"]), "\(query)")
                #expect(try await client.get("/readyz/answers\(query)").status == 200)
            }
            // Probes may add parameters of their own.
            for query in ["verbose", "env=production&t=%ff"] {
                #expect(try await client.get("/readyz?\(query)").status == 503, "\(query)")
            }
            #expect(try await client.notify(body).status == 200)
            await holder.release()
            for path in ["/readyz", "/readyz/answers"] {
                for (query, status, code) in [
                    ("environment=xcode", 404, "environmentNotServed"),
                    ("environment=x", 400, "unknownEnvironment"),
                    ("environment=sandbox&environment=xcode", 400, "invalidParameter"),
                ] {
                    let refused = try await client.get("\(path)?\(query)")
                    #expect(refused.status == status && refused.code == code, "\(query)")
                }
            }
        }
    }

    @Test("A known event is a 200 while the log is locked, and nothing is quarantined")
    func knownWhileLocked() async throws {
        let place = try ServedPlace()
        let path = place.directory(of: .production) + "/log.sqlite"
        let known = try purchase.notificationBody()
        let upload = try purchase.uploadBody()
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            #expect(try await client.notify(known).status == 200)
            #expect(try await client.post("/v1/transactions", upload).status == 200)
            let holder = try LockHolder(path: path)
            #expect(try await client.notify(known).status == 200)
            let again = try await client.post("/v1/transactions", upload)
            #expect(again.status == 200 && again.json["result"]?.string == "duplicate")
            let ledger = try host.ledger(.production).ledger
            #expect(try await ledger.operations.quarantineCount() == 0)
            // Other content under a known identity has to be written.
            var other = purchase
            other.appAccountToken = "f3a86f0d-52be-4c53-8f0e-7d9b1c44d033"
            #expect(try await client.notify(other.notificationBody()).status == 503)
            await holder.release()
            #expect(try await ledger.log.head().position == 2)
        }
    }

    @Test("A COMMIT that the disk refuses: 503 of unknown outcome, quarantined, and accepted later")
    func commitRefused() async throws {
        let faults = RefusedCommits()
        try await LogFaults.$commits.withValue(faults) {
            try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
                faults.refuse(true)
                let body = try purchase.notificationBody()
                let answer = try await client.notify(body)
                #expect(answer.status == 503 && answer.code == "commitOutcomeUnknown")
                #expect(answer.headers[.retryAfter] != nil)
                let ledger = try host.ledger(.production).ledger
                #expect(try await ledger.operations.quarantineCount() == 1)
                #expect(try await ledger.log.head().position == 0)
                let upload = try await client.post("/v1/transactions", purchase.uploadBody())
                #expect(upload.status == 503 && upload.code == "commitOutcomeUnknown")
                #expect(try await client.get("/healthz").status == 200)
                faults.refuse(false)
                #expect(try await client.notify(body).status == 200)
                #expect(try await client.get("/readyz").status == 200)
                let show = try await client.ask("/v1/subscriptions/\(purchase.id)?minPosition=1")
                #expect(show.status == 200)
                #expect(try await ledger.log.head().position == 1)
            }
        }
    }

    @Test("A deleted log: 503 permanently, without its path, and not ready")
    func deleted() async throws {
        let place = try ServedPlace()
        let path = place.directory(of: .production) + "/log.sqlite"
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            #expect(try await client.notify(purchase.notificationBody()).status == 200)
            try FileManager.default.removeItem(atPath: path)
            let answers = [
                try await client.notify(purchase.notificationBody(1)),
                try await client.post("/v1/transactions", purchase.uploadBody(1)),
                try await client.get("/v1/events"), try await client.get("/v1/changes?after=1"),
            ]
            for answer in answers {
                #expect(answer.status == 503 && answer.code == "fileReplaced")
                let detail = try #require(answer.json["detail"]?.string)
                #expect(!detail.contains("/"), "\(detail)")
            }
            let begun = try await client.send(.post, "/v1/audit:verify", .decision(key: "k"))
            try #require((200...299).contains(begun.status), "\(begun.text)")
            var audit = try await client.get("/v1/audit")
            while audit.status == 200, audit.json["last"]?["endedAt"]?.string == nil {
                audit = try await client.get("/v1/audit")
            }
            #expect(audit.text.contains("fileReplaced"), "\(audit.text)")
            #expect(!audit.text.contains("/log.sqlite"), "\(audit.text)")
            let ready = try await client.get("/readyz")
            #expect(
                ready.status == 503
                    && ready.json["problems"]?.array?.first?["code"]?.string == "fileReplaced")
        }
    }

    @Test("A deleted operations file: no copy is stored or promised, and not ready")
    func operationsDeleted() async throws {
        let place = try ServedPlace()
        let directory = place.directory(of: .production)
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            #expect(try await client.get("/readyz").status == 200)
            for suffix in ["", "-wal", "-shm"] {
                try FileManager.default.removeItem(
                    atPath: "\(directory)/operations.sqlite\(suffix)")
            }
            var foreign = purchase
            foreign.bundleId = "com.example.unconfigured"
            let answer = try await client.notify(foreign.notificationBody())
            #expect(answer.status == 503 && answer.code == "wrongApp")
            let detail = answer.json["detail"]?.string
            #expect(detail?.contains("no copy is kept") == true)
            #expect(detail?.contains("quarantine retry") == false)
            let ready = try await client.get("/readyz")
            #expect(
                ready.status == 503
                    && ready.json["problems"]?.array?.first?["code"]?.string == "fileReplaced")
            // The log is intact, so events are accepted.
            #expect(try await client.notify(purchase.notificationBody()).status == 200)
        }
    }

    @Test(
        "An operations file missing for a while: not ready, accepting, and back without a restart"
    )
    func operationsAway() async throws {
        let place = try ServedPlace()
        let path = "\(place.directory(of: .production))/operations.sqlite"
        var foreign = purchase
        foreign.bundleId = "com.example.unconfigured"
        let unwanted = try foreign.notificationBody()
        try await place.serve(.live) { (client: WebClient, host: LedgerHost) async throws in
            for suffix in ["", "-wal", "-shm"] {
                #expect(rename(path + suffix, path + suffix + ".away") == 0)
            }
            #expect(try await client.get("/readyz").status == 503)
            #expect(try await client.notify(purchase.notificationBody()).status == 200)
            #expect(try await client.notify(unwanted).status == 503)
            // With a key the response would have to be stored; without one it need not be.
            let upload = try purchase.uploadBody(1)
            #expect(try await client.post("/v1/transactions", upload).status == 200)
            for suffix in ["", "-wal", "-shm"] {
                #expect(rename(path + suffix + ".away", path + suffix) == 0)
            }
            #expect(try await client.get("/readyz").status == 200)
            #expect(try await client.notify(unwanted).status == 503)
            let ledger = try #require(host.ledgers.first { $0.environment == .production }).ledger
            #expect(try await ledger.operations.quarantineCount() == 1)
        }
    }

    @Test("Operational state that was lost is begun anew at the start, and the log says so")
    func operationsLost() async throws {
        let codes = LogCodes()
        var place = try ServedPlace()
        place.logger = codes.logger
        for index in 0...1 {
            try await place.serve { (client: WebClient, _: LedgerHost) async throws in
                // At the start, also while nothing is new.
                #expect(codes.metadata(of: "operationsGone").count == index)
                #expect(try await client.notify(purchase.notificationBody(index)).status == 200)
                let path = "/v1/subscriptions/\(purchase.id)?minPosition=\(index + 1)"
                #expect(try await client.ask(path).status == 200)
            }
            #expect(codes.metadata(of: "operationsGone").count == index)
            for suffix in ["", "-wal", "-shm"] {
                unlink("\(place.directory(of: .production))/operations.sqlite\(suffix)")
            }
        }
    }

    @Test("Projections deleted under the service are rebuilt, and answers continue")
    func projectionsDeleted() async throws {
        let codes = LogCodes()
        var place = try ServedPlace()
        place.logger = codes.logger
        let directory = place.directory(of: .production)
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            #expect(try await client.notify(purchase.notificationBody()).status == 200)
            let path = "/v1/subscriptions/\(purchase.id)"
            #expect(try await client.ask("\(path)?minPosition=1").status == 200)
            for name in try FileManager.default.contentsOfDirectory(atPath: directory)
            where name.hasPrefix("facts-") || name.hasPrefix("projections") {
                try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
            }
            #expect(try await client.notify(purchase.notificationBody(1)).status == 200)
            let answer = try await client.ask("\(path)?minPosition=2")
            #expect(
                answer.status == 200
                    && answer.json["transactionId"]?.string == purchase.transactionId(1))
        }
        // Not even the link remained to show that there were any.
        #expect(codes.all.contains("projectionsGone"))
    }
}
