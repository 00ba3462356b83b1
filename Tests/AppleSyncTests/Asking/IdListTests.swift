import AppStore
import AppleSync
import TestSupport
import Testing

@Suite("Lists of ids")
struct IdListTests {
    func read(_ text: String) throws -> IdList { try IdList(reading: Array(text.utf8)) }

    @Test("A CSV file without an id column is refused, and so is a line of several values")
    func noColumn() {
        for text in ["user,email\n1,2\n", "1,2,3\n", "a;b\n1;2"] {
            #expect(throws: InputProblem.noIdColumn) { try read(text) }
        }
        #expect(InputProblem.noIdColumn.message.contains("original_store_transaction_id"))
    }

    @Test(
        "An invalid id is reported with its line, and affects nothing else",
        arguments: ["abc", "12x", "-1", "1 2", "１２", String(repeating: "1", count: 65)])
    func badLine(_ text: String) throws {
        let list = try read("1\n\(text)\n2\n")
        #expect(list.ids == ["1", "2"])
        #expect(list.badLines.map(\.line) == [2])
    }

    @Test("Blank lines count in the number of a line")
    func numberedLines() throws {
        let list = try read("\n\n1\n\n \nabc\n\n2\n#\nx")
        #expect(list.ids == ["1", "2"])
        #expect(list.badLines.map(\.line) == [6, 10])
        #expect(try read("\n\nx\n").badLines.map(\.line) == [3])
        #expect(try read("\n\n").ids.isEmpty)
    }

    @Test("The longest id is accepted")
    func longestId() throws {
        let id = String(repeating: "1", count: BackfillLimits.idByteCount)
        #expect(try read(id).ids == [id])
    }

    @Test("A plain list: blanks, comments, byte order marks and foreign line ends are skipped")
    func plain() throws {
        let list = try read("\u{FEFF}# ours\r\n 2000000000000001 \r\n\n2000000000000002")
        #expect(list.ids == ["2000000000000001", "2000000000000002"])
        #expect(list.badLines.isEmpty)
        #expect(list.column == nil)
        #expect(try read("").ids.isEmpty)
    }

    @Test("Comments and blank lines may precede the ids, or a header, and count in line numbers")
    func leadingComments() throws {
        let comments = [
            "# exported 2026-06-01, 12:00", " #a;b", "#\tours", "# \"a, b",
            "# by ann, transaction_id", "# transaction_id", "#",
        ]
        for comment in comments {
            let plain = try read("\(comment)\n\n1\nx\n2\n")
            #expect(plain.ids == ["1", "2"], "\(comment)")
            #expect(plain.badLines.map(\.line) == [4], "\(comment)")
            let records = try read("\n\(comment)\r\n \nuser;transaction_id\n1;2\n3;x\n4;5\n")
            #expect(records.ids == ["2", "5"], "\(comment)")
            #expect(records.column == "transaction_id", "\(comment)")
            #expect(records.badLines.map(\.line) == [6], "\(comment)")
        }
        #expect(try read("#;transaction_id\n1;2\n").ids == ["2"])
        #expect(throws: InputProblem.noIdColumn) { try read("# a, b\nuser,email\n1,2\n") }
    }

    @Test("After the header blank lines are skipped, and a record may begin with #")
    func laterComments() throws {
        let list = try read("transaction_id,note\n1,x\n \t\r\n\n2,y\n# ours\n")
        #expect(list.ids == ["1", "2"])
        #expect(list.badLines.map(\.line) == [6])
        #expect(try read("note,transaction_id\n#first,1\n").ids == ["1"])
    }

    @Test("A list with CR line ends is read line by line")
    func carriageReturns() throws {
        #expect(try read("1\r2\r\r3").ids == ["1", "2", "3"])
        let list = try read("transaction_id,x\r1,y\r\"2\",z\rw,z\r")
        #expect(list.ids == ["1", "2"])
        #expect(list.badLines.map(\.line) == [4])
    }

    /// A text as a spreadsheet writes it.
    private func utf16(_ text: String, isBig: Bool, hasMark: Bool = true) -> [UInt8] {
        ((hasMark ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return isBig ? [high, low] : [low, high]
        }
    }

    @Test(
        "UTF-16 is detected by its mark; without one, truncated or binary, it is reported")
    func encodings() throws {
        let text = "Käufer;Transaction ID\r\nJürgen;1\r\n;2\r\n"
        for isBig in [false, true] {
            let list = try IdList(reading: utf16(text, isBig: isBig))
            #expect(list.ids == ["1", "2"])
            #expect(list.column == "Transaction ID")
            for bytes in [
                utf16(text, isBig: isBig, hasMark: false),
                Array(utf16(text, isBig: isBig).dropLast()),
            ] {
                #expect(throws: InputProblem.unknownEncoding) { try IdList(reading: bytes) }
            }
        }
        let utf32: [UInt8] = [0xFF, 0xFE, 0, 0, 0x31, 0, 0, 0]
        let archive: [UInt8] = [0x50, 0x4B, 3, 4, 0x14, 0, 6, 0]
        for bytes in [utf32, archive] {
            #expect(throws: InputProblem.unknownEncoding) { try IdList(reading: bytes) }
        }
        #expect(InputProblem.unknownEncoding.message.contains("UTF-8"))
    }

    @Test("A NUL is searched for in the first bytes; further on it costs its line only")
    func probedBytes() throws {
        for (filler, isText) in [(0, true), (-1, false)] {
            let count = BackfillLimits.probedByteCount + filler
            let head = Array("1\n".utf8)
            let remark = Array(String(repeating: "#", count: count - head.count).utf8)
            let bytes = head + remark + [0] + Array("\n\0\n2\n".utf8)
            guard isText else {
                #expect(throws: InputProblem.unknownEncoding) { try IdList(reading: bytes) }
                continue
            }
            let list = try IdList(reading: bytes)
            #expect(list.ids == ["1", "2"])
            #expect(list.badLines.map(\.line) == [3])
        }
    }

    @Test("An id counts once, at its first occurrence")
    func repeated() throws {
        let list = try read("3\n1\n3\n2\n1\n")
        #expect(list.ids == ["3", "1", "2"])
        #expect(list.repeated == 2)
        #expect(IdList(["3", "1", "3"]).ids == ["3", "1"])
    }

    @Test(
        "The column is found by its header, original ids before others",
        arguments: [
            ("store_transaction_id,original_store_transaction_id\n1,2\n", "2"),
            ("user,original_transaction_id\nx,2\n", "2"),
            ("\"Original Transaction ID\";x\n2;y\n", "2"),
            ("originalTransactionId\n2\n", "2"), ("user\ttransaction_id\nx\t2\n", "2"),
            ("store_original_transaction_id,x\r\n2,y\r\n", "2"),
        ])
    func column(_ text: String, _ id: String) throws {
        let list = try read(text)
        #expect(list.ids == [id])
        #expect(list.column != nil)
        #expect(list.badLines.isEmpty)
    }

    @Test("Where the best column is empty, the record's next one names the customer")
    func nextColumn() throws {
        let list = try read(
            "store,store_transaction_id,original_store_transaction_id\n"
                + "app_store,5,\napp_store,6,7\napp_store,,\napp_store,8\napp_store\n")
        #expect(list.ids == ["5", "7", "8"])
        #expect(list.column == "original_store_transaction_id")
        #expect(list.badLines.map(\.line) == [4, 6])
    }

    @Test("Quoted fields hold commas, line breaks and quotation marks")
    func quoted() throws {
        let list = try read(
            """
            attributes,original_store_transaction_id,store
            "{""name"": ""a, b""}",11,app_store
            "two
            lines",12,app_store
            plain,"13",mac_app_store

            """)
        #expect(list.ids == ["11", "12", "13"])
        #expect(list.badLines.isEmpty)
    }

    @Test("An unreadable record costs its line only, and later lines keep their numbers")
    func flawed() throws {
        let list = try read(
            "a,transaction_id\n\"never closed,1\nx,2\n\"shut\"early,3\n\"a\nb\",4\nx\nx,\nx,5\n")
        #expect(list.ids == ["2", "4", "5"])
        #expect(list.badLines.map(\.line) == [2, 4, 7, 8])
    }

    @Test("Purchases in another store are counted and not requested")
    func stores() throws {
        let list = try read(
            "store,store_transaction_id\napp_store,1\nplay_store,GPA.1\nstripe,x\n,2\n"
                + "MAC_APP_STORE,3\n"
        )
        #expect(list.ids == ["1", "2", "3"])
        #expect(list.otherStores == 2)
        #expect(list.stores.map(\.name) == ["playstore", "stripe"])
        #expect(list.stores.map(\.count) == [1, 1])
        #expect(list.badLines.isEmpty)
    }

    @Test(
        "Apple's stores have many names, and none of them is another store",
        arguments: [
            "apple", "Apple", "App Store", "APP_STORE", "app-store", "appstore", "mac_app_store",
            "Mac App Store", "itunes", "iTunes Store", "ios", "macOS", "",
        ])
    func appleStores(_ name: String) throws {
        let list = try read("store,transaction_id\n\(name),1\n")
        #expect(list.ids == ["1"])
        #expect(list.stores.isEmpty)
    }

    @Test("Other stores up to the limit are named, the records of further ones are counted")
    func manyStores() throws {
        let names = (1...BackfillLimits.storeCount + 1).map {
            String(repeating: "s", count: BackfillLimits.storeNameLength) + "\($0)"
        }
        // Names are truncated: these differ only beyond that length.
        let cut = try read("store,id,transaction_id\n" + names.map { "\($0),,1\n" }.joined())
        #expect(cut.stores.count == 1)
        #expect(cut.stores.first?.name.count == BackfillLimits.storeNameLength)
        let short = (1...BackfillLimits.storeCount + 1).map { "shop\($0),,1\n" }
        let full = try read("store,id,transaction_id\n" + short.dropLast().joined())
        #expect(full.stores.count == BackfillLimits.storeCount)
        #expect(full.furtherStores == 0)
        let over = try read("store,id,transaction_id\n" + (short + short).joined())
        #expect(over.stores.count == BackfillLimits.storeCount)
        #expect(over.furtherStores == 2)
        #expect(over.otherStores == 2 * (BackfillLimits.storeCount + 1))
    }

    @Test("Bad lines up to the limit are listed, further ones are counted")
    func manyBadLines() throws {
        let lines = Array(repeating: "x", count: BackfillLimits.badLineCount)
        let full = try read(lines.joined(separator: "\n"))
        #expect(full.badLines.count == BackfillLimits.badLineCount)
        #expect(full.badLinesOmitted == 0)
        let over = try read((lines + ["x"]).joined(separator: "\n"))
        #expect(over.badLines.count == BackfillLimits.badLineCount)
        #expect(over.badLinesOmitted == 1)
    }

    @Test("A record of the maximum length is accepted, one byte more is not")
    func recordBound() throws {
        let head = "transaction_id,x\n"
        for (extra, count) in [(0, 1), (1, 0)] {
            let filler = String(
                repeating: "y", count: BackfillLimits.recordByteCount - 2 + extra)
            let list = try read("\(head)1,\(filler)\n2,z\n")
            #expect(list.ids == (count == 1 ? ["1", "2"] : ["2"]))
        }
    }

    @Test("A missing file or a directory is reported by its name")
    func unreadable() async throws {
        let directory = try TemporaryDirectory()
        for path in [directory.file("none"), directory.path] {
            let error = await #expect(throws: InputProblem.self) {
                try await IdList.read(path: path)
            }
            #expect(error == .unreadable(path))
        }
        let path = try directory.write(Array("1\n2\n".utf8), to: "ids")
        #expect(try await IdList.read(path: path).ids == ["1", "2"])
    }

    @Test("An estimate: the slowest response's rate decides, and Sandbox takes a tenth")
    func estimate() {
        let all = BackfillEstimate(ids: 1_000, includesRefunds: true, environment: .production)
        #expect(all.requests == 3_000)
        #expect(all.milliseconds == 100_000)
        #expect(all.duration == "1 min 40 s")
        let quick = BackfillEstimate(ids: 1_000, includesRefunds: false, environment: .production)
        #expect(quick.requests == 2_000)
        #expect(quick.milliseconds == 20_000)
        let sandbox = BackfillEstimate(ids: 1_000, includesRefunds: true, environment: .sandbox)
        #expect(sandbox.milliseconds == 1_000_000)
        let none = BackfillEstimate(ids: 0, includesRefunds: true, environment: .production)
        #expect(none.duration == "0 s")
        #expect(none.milliseconds == 0)
    }
}
