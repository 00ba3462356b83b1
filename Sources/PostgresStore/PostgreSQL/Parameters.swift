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
        switch value?.boundValue ?? .null {
        case .null: ranges.append(nil)
        case .integer(let value): addValue { $0.append(bigEndian: value) }
        case .flag(let value): addValue { $0.append(value ? 1 : 0) }
        case .text(let value): addValue { $0.append(contentsOf: value.utf8) }
        case .digest(let value): addValue { $0.append(value) }
        case .bytes(let value): addValue { $0.append(contentsOf: value) }
        }
    }

    /// `bigint[]`
    mutating func add<Element>(_ elements: [Element], integer: (Element) -> Int64?) {
        addArray(elements, of: ElementType.bigint) { bytes, element in
            guard let value = integer(element) else { return false }
            bytes.append(bigEndian: value)
            return true
        }
    }

    /// `bytea[]`
    mutating func add<Element>(_ elements: [Element], digest: (Element) -> Digest?) {
        addArray(elements, of: ElementType.bytea) { bytes, element in
            guard let value = digest(element) else { return false }
            bytes.append(value)
            return true
        }
    }

    /// `bytea[]`
    mutating func add<Element>(_ elements: [Element], text: (Element) -> String?) {
        addArray(elements, of: ElementType.bytea) { bytes, element in
            guard let value = text(element) else { return false }
            bytes.append(contentsOf: value.utf8)
            return true
        }
    }

    /// `bytea[]`
    mutating func add<Element>(_ elements: [Element], bytes value: (Element) -> [UInt8]?) {
        addArray(elements, of: ElementType.bytea) { bytes, element in
            guard let value = value(element) else { return false }
            bytes.append(contentsOf: value)
            return true
        }
    }

    private mutating func addValue(_ append: (inout [UInt8]) -> Void) {
        let start = bytes.count
        append(&bytes)
        ranges.append(start..<bytes.count)
    }

    /// - Parameter append: appends an element; false for NULL.
    private mutating func addArray<Element>(
        _ elements: [Element], of type: Int32, _ append: (inout [UInt8], Element) -> Bool
    ) {
        addValue { bytes in
            bytes.append(bigEndian: Int32(elements.isEmpty ? 0 : 1))
            bytes.append(bigEndian: Int32(1))
            bytes.append(bigEndian: type)
            guard !elements.isEmpty else { return }
            bytes.append(bigEndian: Int32(elements.count))
            bytes.append(bigEndian: Int32(1))
            for element in elements {
                let place = bytes.count
                bytes.append(bigEndian: Int32(-1))
                guard append(&bytes, element) else { continue }
                bytes.replace(at: place, bigEndian: Int32(bytes.count - place - 4))
            }
        }
    }
}

extension [UInt8] {
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    mutating func append(_ digest: Digest) {
        append(bigEndian: digest.words.0)
        append(bigEndian: digest.words.1)
        append(bigEndian: digest.words.2)
        append(bigEndian: digest.words.3)
    }

    fileprivate mutating func replace(at place: Int, bigEndian value: Int32) {
        withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: value.bigEndian, toByteOffset: place, as: Int32.self)
        }
    }
}
