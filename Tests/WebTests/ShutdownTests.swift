import Service
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import Web

@Suite("Shutdown")
struct ShutdownTests {
    /// Notes at the shutdown what `/readyz` reports.
    private final class Witness: Service {
        private let readiness: Readiness
        private let host: LedgerHost
        private let seen = Mutex<[String]>([])

        var codes: [String] { seen.withLock { $0 } }

        init(_ service: WebService) {
            readiness = service.readiness
            host = service.host
        }

        func run() async throws {
            try await gracefulShutdown()
            let codes = try readiness.answerProblems(host).map(\.code)
            seen.withLock { $0 = codes }
        }
    }

    /// Ends the stream, too, if the server never starts.
    private static func run(
        _ group: ServiceGroup, _ announced: AsyncStream<Void>.Continuation
    ) async throws {
        defer { announced.finish() }
        try await group.run()
    }

    @Test("It is reported before anything that runs beside the server ends")
    func stopping() async throws {
        let place = try ServedPlace()
        try await Gate.services.pass {
            let host = try await LedgerHost.open(
                place.configuration, environments: place.environments, roots: place.roots,
                steady: nil
            ) { ServedPlace.now }
            async let projecting: Void = host.run()
            let service = try WebService(host: host, logger: place.logger)
            let witness = Witness(service)
            let (running, announced) = AsyncStream.makeStream(of: Void.self)
            // A trap would be one of this process.
            let members = service.members(beside: [witness], trapsHangup: false) { _ in
                announced.finish()
            }
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(services: members, logger: place.logger))
            async let serving: Void = ShutdownTests.run(group, announced)
            for await _ in running {}
            await group.triggerGracefulShutdown()
            try await serving
            host.stop()
            await projecting
            #expect(witness.codes == ["stopping"])
        }
    }
}
