import Dispatch
import NIOCore

/// One keep-alive connection: sends a request, waits for the response, sends the next. Parses just
/// enough HTTP to find the end of a response.
final class LoadConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let next: () -> ByteBuffer?
    /// Nanoseconds between two requests of this connection; 0 sends at once.
    private let interval: UInt64
    private var received = ByteBuffer()
    private var dueAt: UInt64 = 0
    private(set) var result = LoadResult()

    init(interval: UInt64, next: @escaping () -> ByteBuffer?) {
        self.interval = interval
        self.next = next
    }

    func channelActive(context: ChannelHandlerContext) {
        dueAt = DispatchTime.now().uptimeNanoseconds
        send(context)
    }

    private func send(_ context: ChannelHandlerContext) {
        guard let request = next() else {
            context.close(promise: nil)
            return
        }
        if interval == 0 { dueAt = DispatchTime.now().uptimeNanoseconds }
        context.writeAndFlush(wrapOutboundOut(request), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        received.writeBuffer(&buffer)
        guard let (isGood, byteCount) = LoadConnection.answer(in: received) else { return }
        received.moveReaderIndex(forwardBy: byteCount)
        received.discardReadBytes()
        let now = DispatchTime.now().uptimeNanoseconds
        result.requestCount += 1
        if !isGood { result.failureCount += 1 }
        result.latencies.append(UInt32(clamping: (now - min(now, dueAt)) / 1_000))
        guard interval > 0 else { return send(context) }
        dueAt += interval
        guard dueAt > now else { return send(context) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .nanoseconds(Int64(dueAt - now))) {
            let (connection, context) = bound.value
            connection.send(context)
        }
    }

    /// Whether the first response is a 200, and its length; nil before it is complete.
    private static func answer(in buffer: ByteBuffer) -> (isGood: Bool, byteCount: Int)? {
        buffer.withUnsafeReadableBytes { bytes in
            guard let end = find("\r\n\r\n", in: bytes, from: 0) else { return nil }
            guard let place = find("Content-Length: ", in: bytes, from: 0), place < end else {
                return nil
            }
            var (length, index) = (0, place + 16)
            while index < end, (0x30...0x39).contains(bytes[index]) {
                length = length * 10 + Int(bytes[index] - 0x30)
                index += 1
            }
            let byteCount = end + 4 + length
            guard bytes.count >= byteCount else { return nil }
            return (bytes[9] == 0x32 && bytes[10] == 0x30 && bytes[11] == 0x30, byteCount)
        }
    }

    private static func find(
        _ text: StaticString, in bytes: UnsafeRawBufferPointer, from start: Int
    ) -> Int? {
        let wanted = UnsafeRawBufferPointer(
            start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard bytes.count >= wanted.count else { return nil }
        for place in start...(bytes.count - wanted.count)
        where bytes[place] == wanted[0]
            && UnsafeRawBufferPointer(rebasing: bytes[place..<(place + wanted.count)])
                .elementsEqual(wanted)
        {
            return place
        }
        return nil
    }
}
