import AppStore
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Web

@Suite("How long a request may take to arrive")
struct RequestDeadlineTests {
    private let limits = ConnectionLimits()
    private let head = HTTPRequestPart.head(
        HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/"))
    private let answer = HTTPResponsePart.head(HTTPResponse(status: .ok))

    private func open() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: RequestDeadlines(limits: limits))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private func byte(_ channel: EmbeddedChannel) -> HTTPRequestPart {
        .body(channel.allocator.buffer(string: "x"))
    }

    @Test("A connection that never sends a head closes at the bound, not before")
    func noHead() throws {
        let channel = try open()
        channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(limits.headSeconds) - 1))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("Trickled bytes do not buy time: the body is due from the head on, and a 408 says so")
    func slowBody() throws {
        let channel = try open()
        try channel.writeInbound(head)
        for _ in 1..<limits.bodySeconds {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            try channel.writeInbound(byte(channel))
            #expect(channel.isActive)
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        guard case .head(let response)? = try channel.readOutbound(as: HTTPResponsePart.self)
        else {
            Issue.record("there is no answer")
            return
        }
        #expect(response.status == .requestTimeout)
        #expect(response.headerFields[.connection] == "close")
        #expect(!channel.isActive)
    }

    @Test("Work that takes long after the whole body came is not cut off")
    func longWork() throws {
        let channel = try open()
        try channel.writeInbound(head)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        try channel.writeOutbound(answer)
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(limits.idleSeconds) - 1))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("The next request within the idle time goes on, by a deadline of its own")
    func keptAlive() throws {
        let channel = try open()
        for _ in 0..<3 {
            try channel.writeInbound(head)
            try channel.writeInbound(HTTPRequestPart.end(nil))
            try channel.writeOutbound(answer)
            try channel.writeOutbound(HTTPResponsePart.end(nil))
            channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(limits.idleSeconds) - 1))
            #expect(channel.isActive)
        }
    }

    @Test("An answer that came before the end of the body leaves the body its bound")
    func earlyAnswer() throws {
        let channel = try open()
        try channel.writeInbound(head)
        try channel.writeOutbound(answer)
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(limits.bodySeconds)))
        #expect(!channel.isActive)
    }
}
