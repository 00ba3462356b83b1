import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Web

@Suite("Deadlines of readers")
struct StalledReaderTests {
    private let limits = ConnectionLimits()

    /// A network whose other end accepts only what a test permits.
    private final class Plug: ChannelOutboundHandler {
        typealias OutboundIn = NIOAny

        private var waiting: [EventLoopPromise<Void>] = []

        func write(
            context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
        ) {
            if let promise { waiting.append(promise) }
        }

        /// Lets the other end accept so many writes.
        func take(_ count: Int) { for _ in 0..<count { waiting.removeFirst().succeed() } }

        var count: Int { waiting.count }

        func close(
            context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
        ) {
            for promise in waiting { promise.fail(ChannelError.ioOnClosedChannel) }
            waiting = []
            context.close(mode: mode, promise: promise)
        }
    }

    private func connection(_ plug: Plug) throws -> EmbeddedChannel {
        let channel = try EmbeddedChannel.connection(over: [plug], limits)
        try channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
        return channel
    }

    private func answer(_ channel: EmbeddedChannel, pieces: Int, ends: Bool) {
        let head = HTTPResponse(status: .ok, headerFields: [.contentLength: "1000"])
        channel.write(HTTPResponsePart.head(head), promise: nil)
        for _ in 0..<pieces {
            channel.write(HTTPResponsePart.body(ByteBuffer(string: "x")), promise: nil)
        }
        if ends { channel.write(HTTPResponsePart.end(nil), promise: nil) }
        channel.flush()
    }

    @Test("A reader that accepts nothing is closed at the deadline, not before")
    func stalled() throws {
        let plug = Plug()
        let channel = try connection(plug)
        answer(channel, pieces: 2, ends: false)
        channel.expectClosed(after: limits.stallSeconds)
    }

    @Test("A completely written response does not extend the deadline")
    func complete() throws {
        let plug = Plug()
        let channel = try connection(plug)
        answer(channel, pieces: 1, ends: true)
        channel.pass(limits.stallSeconds)
        #expect(!channel.isActive)
    }

    @Test("Every accepted part restarts the deadline; once all is accepted there is none")
    func slow() throws {
        let plug = Plug()
        let channel = try connection(plug)
        answer(channel, pieces: 3, ends: false)
        #expect(plug.count == 3)
        for _ in 0..<3 {
            channel.pass(limits.stallSeconds - 1)
            #expect(channel.isActive)
            plug.take(1)
        }
        channel.pass(3_600)
        #expect(channel.isActive)
        // And the next part has a deadline of its own.
        channel.write(HTTPResponsePart.body(ByteBuffer(string: "x")), promise: nil)
        channel.flush()
        channel.expectClosed(after: limits.stallSeconds)
    }

    @Test("A peer that sends no body and accepts nothing of the 408 is closed after both deadlines")
    func refusedBody() throws {
        let plug = Plug()
        let channel = try EmbeddedChannel.connection(over: [plug], limits)
        try channel.writeInbound(
            ByteBuffer(string: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n"))
        channel.pass(limits.bodySeconds)
        #expect(channel.isActive && plug.count > 0)
        channel.expectClosed(after: limits.stallSeconds)
    }

    @Test("A response that is accepted at once leaves the connection its idle time")
    func quick() throws {
        let plug = Plug()
        let channel = try connection(plug)
        answer(channel, pieces: 1, ends: true)
        plug.take(plug.count)
        channel.expectClosed(after: limits.idleSeconds)
    }
}
