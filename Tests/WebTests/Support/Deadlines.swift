import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypesHTTP1
import Testing

@testable import Web

extension EmbeddedChannel {
    /// An HTTP/1 connection, up to where requests are answered.
    static func connection(
        over network: [any ChannelHandler] = [], _ limits: ConnectionLimits
    ) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers(network)
        try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false)
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        try pipeline.addHandler(RequestDeadlines(limits: limits))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    func pass(_ seconds: Int) { embeddedEventLoop.advanceTime(by: .seconds(Int64(seconds))) }

    /// The channel closes after so many seconds, not before.
    func expectClosed(after seconds: Int, at place: SourceLocation = #_sourceLocation) {
        pass(seconds - 1)
        #expect(isActive, sourceLocation: place)
        pass(1)
        #expect(!isActive, sourceLocation: place)
    }
}
