package import AppStore
import LedgerStore

/// Events of a page as they are answered, one after another, for as long as they fit: evidence is
/// kept packed, and what a thousand events take when it is put together again is known only then.
package struct EventLines {
    private var bytes = Array("{\"events\":[".utf8)
    private var eventByteCount = 0
    private let environment: Environment
    private let limit: Int

    /// - Parameter byteCount: most bytes of the events and what parts them; a first event that has
    ///   more stands alone.
    package init(_ environment: Environment, byteCount: Int) {
        self.environment = environment
        limit = byteCount
    }

    /// Whether there was room for the event; the page ends before it if not.
    package mutating func add(_ event: RecordedEvent, evidence: [UInt8]?) -> Bool {
        var line = JSONWriter()
        event.write(to: &line, evidence: evidence, environment)
        let isFirst = eventByteCount == 0
        let count = line.bytes.count + (isFirst ? 0 : 1)
        guard isFirst || eventByteCount + count <= limit else { return false }
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        bytes += line.bytes
        eventByteCount += count
        return true
    }

    /// The page: `{"events":[…],"next":…,"position":…}`.
    ///
    /// - Parameter end: `position`; it may change while the page stays the same.
    package consuming func page(
        next: Int64?, end: Int64, position: Int64, lag: Int64
    ) -> ServedAnswer {
        bytes += Array("],\"next\":\(next.map(String.init) ?? "null")".utf8)
        return ServedAnswer(
            unstamped: bytes, stamp: ",\"position\":\(end)}", position: position, lag: lag)
    }
}
