/// The keys of one object so far, for rejecting duplicates.
///
/// Apple's objects have a few dozen keys: those are stored inline, and a 64-bit filter detects
/// nearly all new ones. An object with more keys, or with an escaped one, copies them to a set
/// whose hash is seeded per process, so that crafted input cannot make it slow. Keys are compared
/// as unescaped bytes.
struct JSONSeenKeys {
    private struct Slice {
        var start: UnsafePointer<UInt8>?
        var count: Int
    }

    private var filter: UInt64 = 0
    private var count = 0
    private var near: [32 of Slice] = .init(repeating: Slice(start: nil, count: 0))
    private var far: Set<[UInt8]>?

    init() {
        assert(near.count == JSONLimits.keysComparedLinearly)
    }

    /// Returns false if the object already has this key.
    @inline(__always)
    mutating func insert(_ key: JSONKey) -> Bool {
        guard key.unescaped == nil, far == nil, count < JSONLimits.keysComparedLinearly else {
            return insertFar(key)
        }
        let bit = Self.filterBit(key)
        if filter & bit != 0, nearContains(key) { return false }
        filter |= bit
        near[count] = Slice(start: key.start, count: key.count)
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

    private func nearContains(_ key: JSONKey) -> Bool {
        // Uses a span: subscripting the array here would copy it first.
        let near = near.span
        for index in 0..<count where near[index].count == key.count {
            guard let start = near[index].start else { continue }
            if Bytes.equal(start, key.start, count: key.count) { return true }
        }
        return false
    }

    private mutating func insertFar(_ key: JSONKey) -> Bool {
        var keys = far.take() ?? []
        if keys.isEmpty {
            for index in 0..<count {
                let slice = near[index]
                keys.insert(Array(UnsafeBufferPointer(start: slice.start, count: slice.count)))
            }
        }
        defer { far = keys }
        return keys.insert(key.withBytes { Array($0) }).inserted
    }
}
