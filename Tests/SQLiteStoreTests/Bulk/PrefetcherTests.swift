import Synchronization
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Items produced ahead")
struct AheadTests {
    @Test("Items arrive in order, each once, and none is requested after the end")
    func order() throws {
        let asked = Mutex(0)
        let pieces = Prefetcher { () throws(StoreError) -> Int? in
            asked.withLock { count in
                count += 1
                return count <= 100 ? count : nil
            }
        }
        for expected in 1...100 { #expect(try pieces.next() == expected) }
        #expect(try pieces.next() == nil)
        #expect(asked.withLock { $0 } == 101)
    }

    @Test("An error is thrown in place of the item")
    func failure() throws {
        let asked = Mutex(0)
        let pieces = Prefetcher { () throws(StoreError) -> Int? in
            let number = asked.withLock { count in
                count += 1
                return count
            }
            guard number < 3 else {
                throw StoreError(.ioError, reason: "It is damaged.", remedy: "Check the disk.")
            }
            return number
        }
        #expect(try pieces.next() == 1)
        #expect(try pieces.next() == 2)
        let error = #expect(throws: StoreError.self) { try pieces.next() }
        #expect(error?.code == .ioError)
    }
}
