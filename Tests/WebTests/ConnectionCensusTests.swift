import LedgerService
import Testing

@testable import Web

@Suite("How many connections there may be")
struct ConnectionCensusTests {
    private func census(_ trusted: [String] = []) -> ConnectionCensus {
        var limits = ConnectionLimits()
        limits.connectionCount = 10
        limits.connectionsPerAddress = 4
        return ConnectionCensus(limits: limits, trusted: trusted.compactMap { NetworkRange($0) })
    }

    @Test("One address has its bound, and room again once one is closed")
    func perAddress() {
        let census = census()
        for _ in 0..<4 { #expect(census.enter("9.9.9.9")) }
        #expect(!census.enter("9.9.9.9"))
        #expect(census.enter("9.9.9.8"))
        census.leave("9.9.9.9")
        #expect(census.enter("9.9.9.9"))
        #expect(census.count == 5)
    }

    @Test(
        "This machine and trusted proxies have only the bound of all",
        arguments: [
            "127.0.0.1", "::1", "10.0.0.7",
        ])
    func all(address: String) {
        let census = census(["10.0.0.0/8"])
        for _ in 0..<10 { #expect(census.enter(address)) }
        #expect(!census.enter(address))
        #expect(!census.enter("9.9.9.9"))
        census.leave(address)
        #expect(census.enter("9.9.9.9"))
    }

    @Test("Over a socket: as many as the bound are served, one more is closed at once")
    func socket() async throws {
        var place = try ServedPlace()
        place.limits.connectionCount = 2
        try await place.listen { port, service in
            try await StreamReader.open(port: port, "/healthz") { first in
                #expect(await first.wait(for: "HTTP/1.1 200 "))
                try await StreamReader.open(port: port, "/healthz") { second in
                    #expect(await second.wait(for: "HTTP/1.1 200 "))
                    #expect(service.census.count == 2)
                    try await StreamReader.open(port: port, "/healthz") { third in
                        await third.waitForEnd()
                        #expect(third.text.isEmpty)
                    }
                }
            }
        }
    }
}
