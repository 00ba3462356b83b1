import AppStore
import AppStoreAPI
import Testing

@testable import Service

@Suite("Traces of what requests cause")
struct TraceHeaderTests {
    @Test("A request to Apple or a witness carries the trace of its task, and no other")
    func transport() async throws {
        try await LocalReceiver.open { receiver, address in
            let transport = HTTPTransport()
            let request = TransportRequest(method: "POST", url: address, headers: [], body: [1])
            _ = try await transport.send(request)
            let trace = TraceContext()
            _ = try await TraceContext.$current.withValue(trace) {
                try await transport.send(request)
            }
            await transport.close()
            let fields = receiver.requests.map { $0.headers["traceparent"] }
            #expect(fields == [nil, trace.header])
        }
    }

    @Test("Work that goes on after the response stays in the trace of its request")
    func background() async {
        let tasks = BackgroundTasks()
        let (traces, found) = AsyncStream.makeStream(of: TraceContext?.self)
        let trace = TraceContext()
        func begin() { tasks.start { found.yield(TraceContext.current) } }
        func beginTraced() { TraceContext.$current.withValue(trace) { begin() } }
        beginTraced()
        begin()
        async let running: Void = tasks.run()
        var all: [TraceContext?] = []
        for await one in traces {
            all.append(one)
            if all.count == 2 { break }
        }
        tasks.stop()
        await running
        #expect(all.contains(trace) && all.contains(nil))
    }
}
