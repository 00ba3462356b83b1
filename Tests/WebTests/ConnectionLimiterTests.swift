import Service
import Synchronization
import Testing

@testable import Web

@Suite("Connection limits")
struct ConnectionCensusTests {
    /// A census and its open connections.
    private final class Place {
        /// Stands for a channel.
        final class Connection: Sendable {
            let isClosed = Mutex(false)
        }

        let census: ConnectionLimiter
        private(set) var connections: [Connection] = []

        init(_ census: ConnectionLimiter) { self.census = census }

        /// Nil when there is no room.
        func enter(_ address: String, sends isAsking: Bool = true) -> Connection? {
            let connection = Connection()
            connections.append(connection)
            let id = ObjectIdentifier(connection)
            let isIn = census.enter(id, from: address) {
                connection.isClosed.withLock { $0 = true }
            }
            if isIn, isAsking { census.requested(id) }
            return isIn ? connection : nil
        }

        /// As many as one address may have.
        func fill(_ address: String, sends isAsking: Bool = true) -> Int {
            var count = 0
            while enter(address, sends: isAsking) != nil { count += 1 }
            return count
        }

        func leave(_ connection: Connection) {
            census.leave(ObjectIdentifier(connection))
        }

        var closed: [Connection] { connections.filter { $0.isClosed.withLock { $0 } } }
    }

    private func place(
        _ count: Int, perAddress: Int = 128, reserving: Int = 0, trusted: [String] = [],
        reserved: [String] = []
    ) -> Place {
        var limits = ConnectionLimits()
        limits.connectionCount = count
        limits.connectionsPerAddress = perAddress
        limits.reservedConnectionCount = reserving
        return Place(
            ConnectionLimiter(
                limits: limits, trusted: trusted.compactMap { NetworkRange($0) },
                reserved: reserved.compactMap { NetworkRange($0) }))
    }

    @Test("One address has its limit, and room again once one is closed")
    func perAddress() throws {
        let place = place(1_000, perAddress: 5)
        let first = try #require(place.enter("9.9.9.9"))
        #expect(place.fill("9.9.9.9") == 4)
        #expect(place.enter("9.9.9.8") != nil)
        place.leave(first)
        #expect(place.enter("9.9.9.9") != nil)
        #expect(place.enter("9.9.9.9") == nil)
        #expect(place.census.count == 6)
    }

    @Test("Eight addresses leave room; every address may always have four")
    func fewAddresses() {
        let place = place(1_024)
        #expect(place.fill("9.9.9.1") == 128)
        for last in 2...8 { _ = place.fill("9.9.9.\(last)") }
        #expect(1_024 - place.census.count > 300)
        #expect(self.place(20).fill("9.9.9.1") == 4)
    }

    @Test(
        "An IPv6 /64 is one address, and an IPv4-mapped IPv6 address is the IPv4 address",
        arguments: [
            ("2001:db8::1", "2001:db8::ffff:2", true), ("2001:db8::1", "2001:db8:0:1::1", false),
            ("9.9.9.9", "::ffff:9.9.9.9", true), ("9.9.9.9", "9.9.9.8", false),
        ])
    func subscriber(one: String, other: String, isSame: Bool) {
        let place = place(1_000, perAddress: 1)
        #expect(place.enter(one) != nil)
        #expect((place.enter(other) == nil) == isSame)
    }

    @Test(
        "Loopback and trusted proxies have only the total limit",
        arguments: ["127.0.0.1", "::1", "10.0.0.7"])
    func all(address: String) throws {
        let place = place(10, trusted: ["10.0.0.0/8"])
        let first = try #require(place.enter(address))
        #expect(place.fill(address) == 9)
        #expect(place.enter("9.9.9.9") == nil)
        place.leave(first)
        #expect(place.enter("9.9.9.9") != nil)
    }

    @Test(
        "When full, the oldest idle connection of the address with most of them is closed"
    )
    func silent() throws {
        let place = place(10)
        #expect(place.enter("9.9.9.1", sends: false) != nil)
        let first = try #require(place.enter("9.9.9.2", sends: false))
        let second = try #require(place.enter("9.9.9.2", sends: false))
        for last in 3...9 { #expect(place.enter("9.9.9.\(last)") != nil) }
        #expect(place.closed.isEmpty)
        #expect(place.enter("9.9.9.10") != nil)
        #expect(place.closed.map { ObjectIdentifier($0) } == [ObjectIdentifier(first)])
        #expect(place.enter("9.9.9.11") != nil && place.enter("9.9.9.12") != nil)
        #expect(second.isClosed.withLock { $0 })
        #expect(place.closed.count == 3)
        // All of them have sent a request.
        #expect(place.enter("9.9.9.13") == nil)
        #expect(place.census.count == 10)
        // A closed connection is removed once.
        place.leave(first)
        #expect(place.census.count == 10)
    }

    @Test("The notification networks have reserved room and lose none of theirs")
    func reserved() {
        let place = place(20, reserving: 4, reserved: ["17.0.0.0/8"])
        for last in 0..<16 { #expect(place.enter("9.9.\(last).9") != nil) }
        #expect(place.enter("9.9.16.9") == nil)
        for last in 1...4 { #expect(place.enter("17.1.1.\(last)") != nil) }
        #expect(place.enter("17.1.1.5") == nil)
        #expect(place.census.count == 20)
        let beside = self.place(20, reserving: 4, reserved: ["17.0.0.0/8"])
        for last in 1...4 { #expect(beside.enter("17.1.1.\(last)") != nil) }
        for last in 0..<16 { #expect(beside.enter("9.9.\(last).9") != nil) }
    }

    @Test("The service knows the trusted proxies and notification networks of its configuration")
    func configured() async throws {
        var place = try ServedPlace.single()
        place.configuration.server.trustedProxies = [try #require(NetworkRange("10.0.0.0/8"))]
        place.configuration.server.notificationNetworks = [try #require(NetworkRange("17.0.0.0/8"))]
        place.limits.connectionCount = 20
        place.limits.reservedConnectionCount = 4
        try await place.listen { _, service in
            let connections = Place(service.limiter)
            #expect(connections.fill("10.0.0.7") == 16)
            #expect(connections.fill("17.0.0.1") == 4)
        }
    }

    @Test("Over a socket: connections up to the limit are served, one more is closed at once")
    func socket() async throws {
        var place = try ServedPlace.single()
        place.limits.connectionCount = 2
        try await place.listen { port, service in
            try await StreamReader.open(port: port, "/healthz") { first in
                #expect(await first.wait(for: "HTTP/1.1 200 "))
                try await StreamReader.open(port: port, "/healthz") { second in
                    #expect(await second.wait(for: "HTTP/1.1 200 "))
                    #expect(service.limiter.count == 2)
                    try await StreamReader.open(port: port, "/healthz") { third in
                        await third.waitForEnd()
                        #expect(third.text.isEmpty)
                    }
                }
            }
        }
    }
}
