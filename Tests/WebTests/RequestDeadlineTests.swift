import AppStore
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Web

@Suite("Request deadlines")
struct RequestDeadlineTests {
    private let limits = ConnectionLimits()

    private func send(_ text: String, _ channel: EmbeddedChannel) throws {
        try channel.writeInbound(ByteBuffer(string: text))
    }

    private func answer(_ channel: EmbeddedChannel) throws {
        try channel.writeOutbound(
            HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: [.contentLength: "0"])))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    private func sent(_ channel: EmbeddedChannel) throws -> String {
        var text = ""
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
            text += String(buffer: buffer)
        }
        return text
    }

    private let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n"

    // MARK: Heads

    @Test("A connection without a request closes at the deadline, not before")
    func silent() throws {
        let channel = try EmbeddedChannel.connection(limits)
        channel.expectClosed(after: limits.idleSeconds)
    }

    @Test("Trickled bytes do not extend the deadline: the head is due from its first byte on")
    func slowHead() throws {
        let channel = try EmbeddedChannel.connection(limits)
        channel.pass(limits.idleSeconds - 1)
        for byte in request.prefix(limits.headSeconds) {
            #expect(channel.isActive)
            try send(String(byte), channel)
            channel.pass(1)
        }
        #expect(!channel.isActive)
    }

    @Test("The head of a later request has no more time than that of the first")
    func slowLaterHead() throws {
        let channel = try EmbeddedChannel.connection(limits)
        for _ in 0..<2 {
            try send(request, channel)
            try answer(channel)
            channel.pass(limits.idleSeconds - 1)
            #expect(channel.isActive)
        }
        try send("G", channel)
        channel.expectClosed(after: limits.headSeconds)
    }

    @Test("Long work is not cut off; a head that begins during it is due from its response on")
    func headBehindWork() throws {
        let channel = try EmbeddedChannel.connection(limits)
        try send(request, channel)
        try send("GET", channel)
        channel.pass(3_600)
        #expect(channel.isActive)
        try answer(channel)
        channel.expectClosed(after: limits.headSeconds)
    }

    @Test("The next request within the idle time continues, with its own deadline")
    func keptAlive() throws {
        let channel = try EmbeddedChannel.connection(limits)
        for _ in 0..<3 {
            try send(request, channel)
            try answer(channel)
            channel.pass(limits.idleSeconds - 1)
            #expect(channel.isActive)
        }
        channel.pass(1)
        #expect(!channel.isActive)
    }

    // MARK: Bodies

    @Test("Trickled bytes do not extend the deadline: the body is due from the head on, then 408")
    func slowBody() throws {
        let channel = try EmbeddedChannel.connection(limits)
        try send(head, channel)
        for _ in 1..<limits.bodySeconds {
            channel.pass(1)
            try send("x", channel)
            #expect(channel.isActive)
        }
        channel.pass(1)
        let text = try sent(channel).lowercased()
        #expect(text.hasPrefix("http/1.1 408 "))
        #expect(text.contains("\r\nconnection: close\r\n"))
        #expect(!channel.isActive)
    }

    @Test("A response before the end of the body leaves the body its deadline")
    func earlyAnswer() throws {
        let channel = try EmbeddedChannel.connection(limits)
        try send(head, channel)
        try answer(channel)
        channel.pass(limits.bodySeconds)
        #expect(!channel.isActive)
    }
}
