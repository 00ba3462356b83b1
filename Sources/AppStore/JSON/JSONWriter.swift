/// Appends JSON to a byte array in call order, without white space.
///
///     var json = JSONWriter()
///     json.object {
///         $0.member("state", "expired")
///         $0.member("until", nil as Timestamp?)
///         $0.array("evidence", positions)
///     }
///
/// The writer places commas; the caller matches each key with one value.
public struct JSONWriter: Sendable {
    /// The output.
    public private(set) var bytes: [UInt8]
    /// Whether answers state the time and position of their query: without these they stay
    /// byte-identical until their content changes.
    package var isStamped = true
    /// `array(_:_:_:)` and `objects` stop after the element that exceeds it; other arrays do not.
    @usableFromInline package var byteLimit = Int.max
    /// Whether the next key or element needs a comma.
    private var needsComma = false

    /// An empty writer with room for `capacity` bytes.
    public init(reservingCapacity capacity: Int = 512) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Clears the output and keeps the memory, for exports of many lines.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// Ends a line of NDJSON; the next value is independent.
    public mutating func newline() {
        bytes.append(0x0A)
        needsComma = false
    }

    // MARK: Containers

    /// The text of one object; `body` writes its members.
    public static func object<Failure: Error>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var json = JSONWriter()
        try json.object(body)
        return json.bytes
    }

    /// An object; `body` writes its members.
    @inlinable
    public mutating func object<Failure: Error>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        open(UInt8(ascii: "{"))
        try body(&self)
        close(UInt8(ascii: "}"))
    }

    /// An array; `body` writes its elements.
    @inlinable
    public mutating func array<Failure: Error>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        open(UInt8(ascii: "["))
        try body(&self)
        close(UInt8(ascii: "]"))
    }

    /// A member that is an object.
    @inlinable
    public mutating func object<Failure: Error>(
        _ key: String, _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        self.key(key)
        try object(body)
    }

    /// A member that is an array with one value per element.
    @inlinable
    public mutating func array<Elements: Sequence>(_ key: String, _ elements: Elements)
    where Elements.Element: JSONWritable {
        self.key(key)
        array { json in
            for element in elements { element.write(to: &json) }
        }
    }

    /// A member that is an array; `body` writes exactly one value for each element.
    @inlinable
    public mutating func array<Elements: Sequence, Failure: Error>(
        _ key: String, _ elements: Elements,
        _ body: (inout JSONWriter, Elements.Element) throws(Failure) -> Void
    ) throws(Failure) {
        self.key(key)
        open(UInt8(ascii: "["))
        for element in elements {
            try body(&self, element)
            if bytes.count > byteLimit { break }
        }
        close(UInt8(ascii: "]"))
    }

    /// A member that is an array of objects; `body` writes the members of each.
    @inlinable
    public mutating func objects<Elements: Sequence, Failure: Error>(
        _ key: String, _ elements: Elements,
        _ body: (inout JSONWriter, Elements.Element) throws(Failure) -> Void
    ) throws(Failure) {
        try array(key, elements) { (json, element) throws(Failure) in
            try json.object { (json) throws(Failure) in try body(&json, element) }
        }
    }

    // MARK: Members and values

    /// A member; nil is written as `null`.
    @inlinable
    public mutating func member<Value: JSONWritable>(_ key: String, _ value: Value?) {
        self.key(key)
        self.value(value)
    }

    /// A member that is omitted if nil, as absent fields are in Apple's payloads.
    @inlinable
    public mutating func memberIfPresent<Value: JSONWritable>(_ key: String, _ value: Value?) {
        guard let value else { return }
        self.key(key)
        value.write(to: &self)
    }

    /// A member that is an object, or `null`; `body` writes the object's members.
    @inlinable
    public mutating func object<Value, Failure: Error>(
        _ key: String, _ value: Value?,
        _ body: (inout JSONWriter, Value) throws(Failure) -> Void
    ) throws(Failure) {
        self.key(key)
        guard let value else { return null() }
        open(UInt8(ascii: "{"))
        try body(&self, value)
        close(UInt8(ascii: "}"))
    }

    /// An element, or the value of the key just written; nil is written as `null`.
    @inlinable
    public mutating func value<Value: JSONWritable>(_ value: Value?) {
        guard let value else { return null() }
        value.write(to: &self)
    }

    /// The value `null`.
    public mutating func null() { raw("null") }

    /// A key; its value must follow.
    public mutating func key(_ key: String) {
        writeString(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A key without characters to escape; its value must follow.
    mutating func key(_ key: StaticString) {
        beginValue()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Existing JSON, copied unchanged: one complete value, or members separated by commas, without
    /// a leading or trailing comma.
    public mutating func raw(_ json: some Collection<UInt8>) {
        beginValue()
        bytes.append(contentsOf: json)
    }

    mutating func raw(_ json: StaticString) {
        beginValue()
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
    }

    // MARK: Parts

    @usableFromInline
    mutating func open(_ bracket: UInt8) {
        beginValue()
        bytes.append(bracket)
        needsComma = false
    }

    @usableFromInline
    mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func beginValue() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    mutating func writeTimestamp(_ timestamp: Timestamp) {
        beginValue()
        bytes.append(UInt8(ascii: "\""))
        timestamp.appendRFC3339(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func writeDigest(_ digest: Digest) {
        beginValue()
        bytes.append(UInt8(ascii: "\""))
        digest.appendHexadecimal(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func writeInteger(_ value: Int64) {
        beginValue()
        var magnitude = value.magnitude
        var digits: [20 of UInt8] = .init(repeating: 0)
        var place = 20
        repeat {
            place -= 1
            digits[place] = UInt8(ascii: "0") + UInt8(magnitude % 10)
            magnitude /= 10
        } while magnitude > 0
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        digits.span.extracting(place..<20).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    mutating func writeString(_ text: String) {
        beginValue()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes.appendJSONEscaped($0) }
        bytes.append(UInt8(ascii: "\""))
    }
}
