package import AppStore
package import LedgerStore

/// A page of events in JSON, up to a size limit. Evidence is stored packed, so the size of a page
/// is known only after unpacking.
package struct EventLines {
    private var bytes = Array("{\"events\":[".utf8)
    private var eventByteCount = 0
    private let environment: Environment
    private let limit: Int

    /// - Parameter byteCount: maximum size of the events and their separators; a first event that
    ///   exceeds it gets a page of its own.
    package init(_ environment: Environment, byteCount: Int) {
        self.environment = environment
        limit = byteCount
    }

    /// Adds the event; false if it does not fit, and the page ends before it.
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
    /// - Parameter end: `position`; it may change while the events stay the same.
    package consuming func page(
        next: Int64?, end: Int64, position: Int64, lag: Int64
    ) -> ServedAnswer {
        bytes += Array("],\"next\":\(next.map(String.init) ?? "null")".utf8)
        return ServedAnswer(
            unstamped: bytes, stamp: ",\"position\":\(end)}", position: position, lag: lag)
    }
}
