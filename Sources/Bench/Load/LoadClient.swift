import Dispatch
import NIOCore
import NIOPosix
import Synchronization

/// Generates load over keep-alive connections from a thread of its own, so that the binary can
/// measure anywhere.
enum LoadClient {
    static func run(_ plan: LoadPlan) async throws -> LoadResult {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let result: Result<LoadResult, any Error>
        do { result = .success(try await load(plan, group)) } catch { result = .failure(error) }
        try await group.shutdownGracefully()
        return try result.get()
    }

    private static func load(
        _ plan: LoadPlan, _ group: MultiThreadedEventLoopGroup
    ) async throws -> LoadResult {
        let loop = group.any()
        let interval = plan.rate.map { UInt64(Double(plan.connectionCount) / $0 * 1e9) } ?? 0
        let started = DispatchTime.now().uptimeNanoseconds
        let deadline = plan.limit.map { started + UInt64($0.nanoseconds) } ?? .max
        let number = Mutex(0)
        let handlers = NIOLoopBoundBox<[LoadConnection]>.makeBoxSendingValue(
            [], eventLoop: loop)
        var closed: [EventLoopFuture<Void>] = []
        for _ in 0..<plan.connectionCount {
            let channel = try await ClientBootstrap(group: group)
                .channelOption(ChannelOptions.tcpOption(.tcp_nodelay), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let handler = LoadConnection(interval: interval) {
                            guard DispatchTime.now().uptimeNanoseconds < deadline else {
                                return nil
                            }
                            return plan.request(
                                number.withLock { number in
                                    defer { number += 1 }
                                    return number
                                })
                        }
                        try channel.pipeline.syncOperations.addHandler(handler)
                        handlers.value.append(handler)
                    }
                }
                .connect(host: "127.0.0.1", port: plan.port).get()
            closed.append(channel.closeFuture)
        }
        for future in closed { try await future.get() }
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - started) / 1e9
        return try await loop.submit {
            var total = LoadResult()
            total.seconds = seconds
            for handler in handlers.value {
                total.requestCount += handler.result.requestCount
                total.failureCount += handler.result.failureCount
                total.latencies += handler.result.latencies
            }
            total.latencies.sort()
            return total
        }.get()
    }
}
