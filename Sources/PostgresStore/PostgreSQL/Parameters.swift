internal import AppStore
internal import LedgerStore

/// The parameters of one statement, in PostgreSQL's binary format. Statements cast every parameter
/// (`$1::bigint`), or insert it into a column, so that its type never depends on its use elsewhere.
struct Parameters {
    /// The bytes of all values, one after another.
    private(set) var bytes: [UInt8] = []
    /// Where each value is in `bytes`; nil for NULL.
    private(set) var ranges: [Range<Int>?] = []

    /// Object identifiers of the element types of arrays (`pg_type.dat`).
    private enum ElementType {
        static let bytea: Int32 = 17
        static let bigint: Int32 = 20
    }

    /// Of a text the bytes: its parameter is cast to `bytea`, or to `text` where it holds no NUL.
    mutating func add(_ value: (any BoundValue)?) {
        let start = bytes.count
        let isThere = append(value?.boundValue ?? .null)
        ranges.append(isThere ? start..<bytes.count : nil)
    }

    /// `bigint[]`
    mutating func add<Element>(_ elements: [Element], integer: (Element) -> Int64?) {
        addArray(elements, of: ElementType.bigint) { integer($0)?.boundValue }
    }

    /// `bytea[]`
    mutating func add<Element, Value: BoundValue>(
        _ elements: [Element], bytes value: (Element) -> Value?
    ) {
        addArray(elements, of: ElementType.bytea) { value($0)?.boundValue }
    }

    private mutating func addArray<Element>(
        _ elements: [Element], of type: Int32, _ value: (Element) -> StoredValue?
    ) {
        let start = bytes.count
        bytes.append(bigEndian: Int32(elements.isEmpty ? 0 : 1))
        bytes.append(bigEndian: Int32(1))
        bytes.append(bigEndian: type)
        if !elements.isEmpty {
            bytes.append(bigEndian: Int32(elements.count))
            bytes.append(bigEndian: Int32(1))
        }
        for element in elements {
            let place = bytes.count
            bytes.append(bigEndian: Int32(-1))
            guard append(value(element) ?? .null) else { continue }
            bytes.replace(at: place, bigEndian: Int32(bytes.count - place - 4))
        }
        ranges.append(start..<bytes.count)
    }

    /// False for NULL, of which nothing is appended.
    private mutating func append(_ value: StoredValue) -> Bool {
        switch value {
        case .null: return false
        case .integer(let value): bytes.append(bigEndian: value)
        case .flag(let value): bytes.append(value ? 1 : 0)
        case .text(let value): bytes.append(contentsOf: value.utf8)
        case .digest(let value): bytes.append(contentsOf: value.bytes)
        case .bytes(let value): bytes.append(contentsOf: value)
        }
        return true
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func replace(at place: Int, bigEndian value: Int32) {
        withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: value.bigEndian, toByteOffset: place, as: Int32.self)
        }
    }
}
