import AppStore
import HTTPTypes
import Ledger
import LedgerTestSupport
import Queries
import Service
import Testing

@testable import Web

@Suite("Entitlements as time passes")
struct EntitlementTimeTests {
    private let token = "f3a86f0d-52be-4c53-8f0e-7d9b1c44d033"

    private var purchase: MadePurchase { MadePurchase(appAccountToken: token) }

    /// Every time at which something of the customer begins or ends, with its neighbours.
    private func moments(
        _ host: LedgerHost, _ customer: CustomerId
    ) async throws -> [Timestamp] {
        let snapshot = try await host.ledger(.production).snapshot()
        let reading = try await snapshot.reading(
            of: customer, moment: host.moment(QueryScope()))
        var json = JSONWriter()
        reading.writeTimeline(to: &json)
        let times = String(decoding: json.bytes, as: UTF8.self).split(separator: "\"")
            .filter { $0.hasSuffix("Z") }
            .compactMap { Timestamp(userInput: String($0)) }
        let leeway = Catalogue().leewayMilliseconds
        return Set(
            times.flatMap { time in
                [-1, 0, leeway - 1, leeway].map {
                    time.advanced(byMilliseconds: $0)
                }
            }
        ).sorted()
    }

    @Test("At any time, in any order, the response equals the command's")
    func everyOrder() async throws {
        let place = try ServedPlace.single()
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            for period in 0...2 { _ = try await client.notify(purchase.notificationBody(period)) }
            _ = try await host.ledger(.production).snapshot(atLeast: 3, limit: .seconds(120))
            let customer = CustomerId(stated: token)
            let snapshot = try await host.ledger(.production).snapshot()
            let times = try await moments(host, customer)
            #expect(times.count > 6)
            let leaping = times.indices.map { times[$0 &* 7 % times.count] }
            var standings: Set<String> = []
            var expected: [Timestamp: [UInt8]] = [:]
            for time in times {
                var json = JSONWriter()
                try await snapshot.entitlements(
                    of: customer, moment: host.moment(QueryScope(at: time))
                ).write(to: &json)
                expected[time] = json.bytes
            }
            for time in times + times.reversed() + leaping {
                let answer = try await client.get(
                    "/v1/customers/\(token)/entitlements?at=\(time.rfc3339)")
                #expect(answer.bytes == expected[time], "\(time)")
                standings.insert(answer.json["standing"]?.string ?? "")
            }
            #expect(standings == ["new", "active", "inactive"])
        }
    }

    @Test("The clock alone ends access, and changes the tag; nothing new was appended")
    func clock() async throws {
        let clock = ManualClock(purchase.start)
        var place = try ServedPlace.single()
        place.clock = { clock.now }
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            _ = try await client.notify(purchase.notificationBody())
            _ = try await host.ledger(.production).snapshot(atLeast: 1, limit: .seconds(120))
            let path = "/v1/customers/\(token)/entitlements"
            let first = try await client.get(path)
            #expect(first.json["standing"]?.string == "active")
            clock.set(purchase.start.advanced(byMilliseconds: 1_000))
            let second = try await client.get(path)
            #expect(second.headers[.eTag] == first.headers[.eTag])
            #expect(second.json["at"]?.string == clock.now.rfc3339)
            let until = try #require(
                first.json["entitlements"]?.array?.first?["until"]?.string.flatMap {
                    Timestamp(userInput: $0)
                })
            let end = until.advanced(byMilliseconds: Catalogue().leewayMilliseconds)
            clock.set(end.advanced(byMilliseconds: -1))
            #expect(try await client.get(path).json["standing"]?.string == "active")
            clock.set(end)
            let last = try await client.get(path)
            #expect(last.json["standing"]?.string == "inactive")
            #expect(last.headers[.eTag] != first.headers[.eTag])
            #expect(last.json["position"]?.int64 == first.json["position"]?.int64)
        }
    }
}
