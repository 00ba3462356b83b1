/// The keys of one object so far, for rejecting duplicates.
///
/// Apple's objects have a few dozen keys: those are stored inline, and a 64-bit filter detects
/// nearly all new ones. An object with more keys moves to a set whose hash is seeded per process,
/// so that crafted input cannot make it slow. Keys are compared as unescaped bytes.
struct JSONSeenKeys {
    private struct Slice: Hashable {
        var start: UnsafePointer<UInt8>?
        var count: Int

        static func == (left: Slice, right: Slice) -> Bool {
            guard left.count == right.count else { return false }
            guard let one = left.start, let two = right.start else { return true }
            return Bytes.equal(one, two, count: left.count)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(bytes: UnsafeRawBufferPointer(start: start, count: count))
        }
    }

    private var filter: UInt64 = 0
    private var count = 0
    private var near: [32 of Slice] = .init(repeating: Slice(start: nil, count: 0))
    private var far: Set<Slice> = []
    /// Keys with escapes own their bytes, so they cannot be slices of the text.
    private var escaped: Set<[UInt8]> = []

    init() {
        assert(near.count == JSONLimits.keysComparedLinearly)
    }

    /// Returns false if the object already has this key.
    @inline(__always)
    mutating func insert(_ key: JSONKey) -> Bool {
        guard key.unescaped == nil, escaped.isEmpty else { return insertRare(key) }
        let slice = Slice(start: key.start, count: key.count)
        guard count < JSONLimits.keysComparedLinearly else { return insertFar(slice) }
        let bit = Self.filterBit(key)
        if filter & bit != 0, nearContains(slice) { return false }
        filter |= bit
        near[count] = slice
        count += 1
        return true
    }

    @inline(__always)
    private static func filterBit(_ key: JSONKey) -> UInt64 {
        guard key.count > 0 else { return 1 }
        let (first, middle) = (UInt64(key.start[0]), UInt64(key.start[key.count >> 1]))
        let last = UInt64(key.start[key.count - 1])
        let mixed = (first &* 7) ^ (middle &* 31) ^ (last &* 131) ^ (UInt64(key.count) &* 13)
        return 1 << (mixed & 63)
    }

    private func nearContains(_ slice: Slice) -> Bool {
        // Uses a span: subscripting the array here would copy it first.
        let near = near.span
        for index in 0..<count where near[index] == slice { return true }
        return false
    }

    private mutating func insertFar(_ slice: Slice) -> Bool {
        if far.isEmpty {
            for index in 0..<count { far.insert(near[index]) }
        }
        return far.insert(slice).inserted
    }

    /// An object with an escaped key leaves the fast path permanently.
    private mutating func insertRare(_ key: JSONKey) -> Bool {
        guard let bytes = key.unescaped else {
            let slice = Slice(start: key.start, count: key.count)
            if escaped.contains(key.withBytes { Array($0) }) { return false }
            if far.isEmpty, nearContains(slice) { return false }
            return insertFar(slice)
        }
        let known = bytes.withUnsafeBufferPointer { buffer in
            let slice = Slice(start: buffer.baseAddress, count: buffer.count)
            return far.isEmpty ? nearContains(slice) : far.contains(slice)
        }
        guard !known else { return false }
        return escaped.insert(bytes).inserted
    }
}
