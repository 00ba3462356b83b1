import AppStore
import AppStoreAPI
import HTTPTypes
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Signing
import TestSupport
import Testing

@testable import Service
@testable import Web

@Suite("What operators see and do")
struct OperationRouteTests {
    private let purchase = MadePurchase()

    // MARK: Refusals

    static let acts = [
        "/v1/quarantine:retry", "/v1/webhooks/backend:redeliver", "/v1/recoveries",
        "/v1/audit:verify",
    ]

    @Test("Without author, reason or a served environment nothing is done; what is none is a 404")
    func anonymous() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let body = Array(#"{"from":1,"to":2}"#.utf8)
            for path in OperationRouteTests.acts {
                let unnamed = try await client.post(path, body, .decision(actor: nil))
                #expect(unnamed.code == "invalidActor", "\(path)")
                let blank = try await client.post(path, body, .decision(reason: nil))
                #expect(blank.code == "invalidReason", "\(path)")
                let elsewhere = try await client.post(
                    path + "?environment=xcode", body, .decision())
                #expect(elsewhere.status == 404 && elsewhere.code == "environmentNotServed")
            }
            for id in ["1", "x", "-1"] {
                #expect(try await client.get("/v1/quarantine/\(id)").code == "noSuchItem")
                #expect(try await client.get("/v1/recoveries/\(id)").code == "noSuchRecovery")
            }
            let post = try await client.post(
                "/v1/webhooks/none:redeliver", Array(#"{"from":1,"to":2}"#.utf8),
                .decision())
            #expect(post.code == "noSuchEndpoint")
        }
    }

    // MARK: Status

    @Test("The status of a new ledger: ready, nothing received, nothing confirmed")
    func newStatus() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let status = try await client.get("/v1/status?environment=sandbox").json
            #expect(status["environment"]?.string == "sandbox")
            #expect(status["ready"]?.bool == true)
            #expect(status["position"]?.int64 == 0)
            let app = status["apps"]?.array?.first
            #expect(app?["bundleId"]?.string == MadePurchase.app)
            #expect(app?["lastNotificationAt"]?.isNull == true)
            #expect(app?["completeThrough"]?.isNull == true)
            #expect(status["intake"]?.array?.isEmpty == true)
            #expect(status["quarantine"]?.array?.count == QuarantineStanding.allCases.count)
            #expect((status["files"]?["logBytes"]?.int64 ?? 0) > 0)
        }
    }

    @Test("It counts deliveries by outcome, and knows the last notification and event")
    func status() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            _ = try await client.notify(purchase.notificationBody(1))
            _ = try await client.notify(Array(#"{"signedPayload":"x"}"#.utf8))
            _ = try await client.notify(Array("no JSON".utf8))
            let note = try await client.send(
                .post, "/v1/customers/ann/notes", .decision())
            #expect(note.status == 200)
            let status = try await host.status(.production)
            #expect(
                status.intake.outcomes.map { [$0.outcome, String($0.count)] }
                    == [["appended", "2"], ["duplicate", "1"], ["malformedJWS", "1"]])
            #expect(status.unassigned.outcomes.map(\.count) == [1])
            #expect(status.intake.since == ServedPlace.now)
            #expect(status.apps[0].lastNotificationAt == ServedPlace.now)
            #expect(status.apps[0].lastEventPosition == 2)
            #expect(status.problems.isEmpty && status.isClockTrusted)
            #expect(status.head == 3)
            // Read again from where it was.
            _ = try await client.notify(purchase.notificationBody(2))
            #expect(try await host.status(.production).apps[0].lastEventPosition == 4)
            #expect(try await client.get("/v1/status").status == 200)
            #expect(try await host.status(.sandbox).intake.outcomes.isEmpty)
        }
    }

    @Test("Outages of the log are suspected once it was checked")
    func outages() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let served = try host.ledger(.production)
            #expect(host.outages.begin(.sandbox, BundleId("a"), at: ServedPlace.now))
            #expect(!host.outages.begin(.sandbox, BundleId("a"), at: ServedPlace.now))
            await host.checkOutages(served, BundleId(MadePurchase.app))
            let check = try #require(host.outages.check(.production, BundleId(MadePurchase.app)))
            #expect(check.at == ServedPlace.now)
            // Two renewals arrived together, a month after one of them was signed.
            let status = try await client.get("/v1/status").json
            let app = status["apps"]?.array?.first
            #expect(app?["outagesCheckedAt"]?.string == ServedPlace.now.rfc3339)
            #expect(app?["suspectedOutages"]?.array?.count == check.windows.count)
        }
    }

    // MARK: Quarantine

    @Test("Foreign evidence is listed and shown, and taken in once its app is configured")
    func quarantine() async throws {
        var place = try ServedPlace(apps: ["com.example.other"])
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            for period in 0...1 {
                #expect(try await client.notify(purchase.notificationBody(period)).status == 503)
            }
            let list = try await client.get("/v1/quarantine?limit=1").json
            #expect(list["items"]?.array?.compactMap { $0["id"]?.int64 } == [2])
            #expect(list["next"]?.int64 == 2)
            let rest = try await client.get("/v1/quarantine?after=2&limit=1").json
            #expect(rest["items"]?.array?.compactMap { $0["id"]?.int64 } == [1])
            #expect(rest["next"]?.isNull == true)
            let item = try await client.get("/v1/quarantine/1").json
            #expect(item["code"]?.string == "wrongApp")
            #expect(item["standing"]?.string == "genuineForeign")
            let text = try #require(item["base64"]?.string)
            let bytes = try #require(Base64.standard.decode(Array(text.utf8)))
            #expect(String(decoding: bytes, as: UTF8.self) == item["content"]?.string)
            let kept = try await client.send(
                .post, "/v1/quarantine:retry", .decision())
            #expect(kept.json["read"]?.int64 == 2)
            #expect(kept.json["appended"]?.int64 == 0)
        }
        place.configuration.apps[0].bundleId = BundleId(MadePurchase.app)
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let head = HTTPFields.decision(key: "once")
            let first = try await client.send(.post, "/v1/quarantine:retry", head)
            #expect(first.json["appended"]?.int64 == 2)
            #expect(first.headers[.idempotencyReplayed] == nil)
            let again = try await client.send(.post, "/v1/quarantine:retry", head)
            #expect(again.bytes == first.bytes)
            #expect(again.headers[.idempotencyReplayed] == "true")
            let other = try await client.send(
                .post, "/v1/quarantine:retry", .decision(key: "once", actor: "bob"))
            #expect(other.code == "idempotencyKeyReused")
            #expect(try await host.quarantine(.production).items.isEmpty)
            let show = try await client.ask("/v1/subscriptions/\(purchase.id)?minPosition=2")
            #expect(show.status == 200)
        }
    }

    // MARK: Webhooks

    /// Accepts everything.
    private struct Accepting: APITransport {
        func send(
            _ request: TransportRequest
        ) async throws(TransportFailure) -> TransportResponse { TransportResponse(status: 204) }
    }

    /// Says that it was reached, and answers nothing until the task is cancelled.
    private struct Silent: APITransport {
        let reached: AsyncStream<Void>.Continuation

        func send(
            _ request: TransportRequest
        ) async throws(TransportFailure) -> TransportResponse {
            reached.yield()
            while !Task.isCancelled { await Task.yield() }
            throw .cancelled
        }
    }

    private static func backend(_ name: String = "backend") throws -> WebhookEndpoint {
        let secret = String(repeating: "a", count: 32)
        return WebhookEndpoint(
            name: name, url: "https://example.com/hook/secret", environment: .production,
            filter: ChangeFilter(), secret: try #require(WebhookSecret(text: "whsec_\(secret)")))
    }

    @Test("Of two acts that come at once under one key, one takes effect")
    func oneKey() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            host.reach.use([try OperationRouteTests.backend()], YieldingTransport())
            let head = HTTPFields.decision(key: "one")
            async let redelivery = client.post(
                "/v1/webhooks/backend:redeliver", Array(#"{"from":1,"to":2}"#.utf8), head)
            async let retry = client.send(.post, "/v1/quarantine:retry", head)
            let answers = try await [redelivery, retry]
            #expect(answers.map(\.status).sorted() == [200, 422])
            #expect(answers.compactMap(\.code) == ["idempotencyKeyReused"])
        }
    }

    @Test("A redelivery that the shutdown cut has no result, and no other endpoint waits for it")
    func cutShort() async throws {
        let codes = LogCodes()
        var place = try ServedPlace()
        place.logger = codes.logger
        try await place.serve(renewed: purchase) { _, host in
            let (reached, continuation) = AsyncStream<Void>.makeStream()
            host.reach.use([try OperationRouteTests.backend()], Silent(reached: continuation))
            let range = try LedgerHost.Redelivery(from: 1, to: 2, isDryRun: false)
            let order = CommandIntake.Order(actor: "sara", reason: "ticket 7", key: "r")
            let cut = Task { try await host.redeliver("backend", range, order, .production) }
            for await _ in reached { break }
            let other = try OperationRouteTests.backend("other")
            host.reach.use([try OperationRouteTests.backend(), other], Accepting())
            let key = CommandIntake.Order(actor: "sara", reason: "ticket 7", key: "o")
            let beside = try await host.redeliver("other", range, key, .production)
            #expect(beside.value.delivered == beside.value.changes)
            cut.cancel()
            await #expect(throws: ServingError.stopping) { _ = try await cut.value }
            #expect(codes.all.count { $0 == "operatorAct" } == 2)
            let again = try await host.redeliver("backend", range, order, .production)
            #expect(!again.isRepeated && again.value.delivered == again.value.changes)
        }
    }

    @Test("A webhook is listed without its path, and its changes are delivered again")
    func webhooks() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            #expect(try await client.get("/v1/webhooks").json["endpoints"]?.array == [])
            host.reach.use([try OperationRouteTests.backend()], Accepting())
            let listed = try await client.get("/v1/webhooks").json["endpoints"]?.array
            #expect(listed?.count == 1)
            #expect(listed?[0]["origin"]?.string == "https://example.com")
            #expect(listed?[0]["state"]?.string == "new")
            let sandbox = try await client.get("/v1/webhooks?environment=sandbox").json
            #expect(sandbox["endpoints"]?.array == [])
            for (place, status) in [
                ("production/webhooks/backend", 200), ("production/webhooks/none", 404),
                ("sandbox/webhooks/backend", 404),
            ] {
                let form = try await client.get("/console/\(place)/redeliver")
                #expect(form.status == status, "\(place)")
            }
            func redeliver(_ body: String, _ scope: String = "") async throws -> WebClient.Answer {
                try await client.post(
                    "/v1/webhooks/backend:redeliver\(scope)", Array(body.utf8),
                    .decision())
            }
            let dry = try await redeliver(#"{"from":1,"to":2,"dryRun":true}"#)
            let count = try #require(dry.json["changes"]?.int64)
            #expect(count > 0)
            #expect(dry.json["delivered"]?.int64 == 0)
            let sent = try await redeliver(#"{"from":1,"to":9000}"#)
            #expect(sent.json["delivered"]?.int64 == count)
            #expect(
                try await redeliver(#"{"from":1,"to":2}"#, "?environment=sandbox").code
                    == "noSuchEndpoint")
            for body in [
                "{}", "[]", #"{"from":0,"to":2}"#, #"{"from":3,"to":2}"#,
                #"{"from":1,"to":2,"dryRun":1}"#, #"{"from":1,"to":10001}"#,
                #"{"from":1,"to":2,"dryrun":true}"#,
            ] {
                #expect(try await redeliver(body).code == "invalidBody", "\(body)")
            }
            #expect(try await redeliver("{").code == "malformedJSON")
        }
    }

    // MARK: Decisions

    @Test("Decisions are listed newest first, page by page, and refused ones with their code")
    func decisions() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let link = "/v1/customers/ann/subscriptions/\(purchase.id)"
            let head = HTTPFields.decision()
            #expect(try await client.send(.put, link, head).status == 200)
            #expect(try await client.send(.delete, link, head).status == 200)
            #expect(try await client.send(.delete, link, head).code == "notLinked")
            #expect(try await client.send(.post, "/v1/customers/ann/notes", head).status == 200)
            let first = try await client.get("/v1/decisions?limit=2").json
            let names = { (page: JSONValue) in
                page["decisions"]?.array?.compactMap { $0["command"]?.string }
            }
            #expect(names(first) == ["note", "unlink"])
            let next = try #require(first["next"]?.int64)
            let refused = first["refused"]?.array
            #expect(refused?.count == 1)
            #expect(refused?.first?["code"]?.string == "notLinked")
            #expect(refused?.first?["subscription"]?.string == purchase.id)
            let second = try await client.get("/v1/decisions?before=\(next)").json
            #expect(names(second) == ["link"])
            #expect(second["next"]?.isNull == true)
            #expect(second["refused"]?.array == [])
            #expect(try await host.decisions(.sandbox).decisions.isEmpty)
        }
    }

    // MARK: Audit

    @Test("An audit runs in the background, and its result stays")
    func audit() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let before = try await client.get("/v1/audit").json
            #expect(before["size"]?.int64 == 2)
            #expect(before["last"]?.isNull == true)
            for withSignatures in [false, true] {
                let path = "/v1/audit:verify?signatures=\(withSignatures)"
                let head = HTTPFields.decision(key: "\(withSignatures)")
                let started = try await client.send(.post, path, head)
                #expect(started.status == 200 && started.json["result"]?.isNull == true)
                var audit = JSONValue.null
                repeat {
                    audit = try await client.get("/v1/audit").json
                } while audit["running"]?.isNull == false
                let last = audit["last"]
                #expect(last?["actor"]?.string == "sara")
                #expect(last?["result"]?["sound"]?.bool == true)
                #expect(last?["result"]?["events"]?.int64 == 2)
                #expect(last?["result"]?["signaturesVerified"]?.int64 == (withSignatures ? 2 : nil))
                let again = try await client.send(.post, path, head)
                #expect(again.headers[.idempotencyReplayed] == "true")
                #expect(try await host.audit(.production).running == nil)
            }
        }
    }

    @Test(
        "An audit compares the checkpoints that were kept: a rewritten log is not called sound",
        arguments: [false, true])
    func checkpoints(hasKey: Bool) async throws {
        var place = try ServedPlace()
        if hasKey {
            // The file was removed after the start.
            place.configuration.audits = [
                ServiceConfiguration.Audit(
                    environment: .production, origin: "example.com/log",
                    keyFile: place.directory.file("no.key"))
            ]
        }
        try await place.serve(renewed: purchase) {
            (client: WebClient, host: LedgerHost) async throws in
            let served = try host.ledger(.production)
            let root = try await served.ledger.log.head().root
            let signature = Base64.standard.encode([UInt8](repeating: 1, count: 68))
            for (size, root) in [(Int64(2), root), (1, root)] {
                let text = String(decoding: Base64.standard.encode(root.bytes), as: UTF8.self)
                let note =
                    "example.com/log\n\(size)\n\(text)\n\n\u{2014} example.com/log "
                    + String(decoding: signature, as: UTF8.self) + "\n"
                try await served.ledger.operations.keep(
                    StoredCheckpoint(size: size, note: note, signedAt: purchase.start))
            }
            _ = try await client.send(
                .post, "/v1/audit:verify", .decision(key: "c"))
            var last: JSONValue?
            while last?["endedAt"]?.string == nil {
                last = try await client.get("/v1/audit").json["last"]
            }
            let found = last?["result"]?["checkpoints"]
            #expect(found?["compared"]?.int64 == 2 && found?["signed"]?.isNull == true)
            let findings = found?["findings"]?.array ?? []
            #expect(findings.compactMap { $0["code"]?.string } == ["logRewritten"])
            #expect(findings.first?["size"]?.int64 == 1)
            let page = try await client.get("/console/production/audit").text
            #expect(page.contains("Not sound") && page.contains("the log has other events"))
            let why =
                hasKey ? "the key under audit cannot be used" : "no key is configured under audit"
            #expect(page.contains("not checked: \(why)"))
            #expect(page.contains("whose signatures are not checked, as \(why)"))
            let proof = try await client.get("/console/production/events/1/bundle")
            #expect(proof.status == (hasKey ? 500 : 422))
        }
    }
}
