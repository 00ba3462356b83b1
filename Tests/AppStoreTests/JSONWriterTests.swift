import AppStore
import Foundation
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    private func text(_ body: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter()
        body(&json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test("Members are in the order written, nil as null")
    func members() {
        let result = text {
            $0.object {
                $0.member("state", "expired")
                $0.member("until", nil as Timestamp?)
                $0.member("at", Timestamp(milliseconds: 0))
                $0.member("entitled", false)
                $0.member("n", 7)
                $0.member("small", Int64.min)
                $0.member("price", Money(milliunits: 9990, currency: "USD"))
                $0.member("productId", ProductId("com.example"))
                $0.member("status", Raw(SubscriptionStatus.active))
                $0.member("type", Raw<RevocationType>(rawValue: "NEW"))
                $0.memberIfPresent("absent", nil as String?)
                $0.memberIfPresent("present", "yes")
                $0.member("ratio", 0.25)
                $0.member("nan", Double.nan)
                $0.member("period", ISO8601Period(months: 1))
            }
        }
        #expect(
            result == #"{"state":"expired","until":null,"at":"1970-01-01T00:00:00.000Z","#
                + #""entitled":false,"n":7,"small":-9223372036854775808,"#
                + #""price":{"milliunits":9990,"currency":"USD"},"productId":"com.example","#
                + #""status":1,"type":"NEW","present":"yes","ratio":0.25,"nan":null,"#
                + #""period":"P1M"}"#
        )
    }

    @Test("Containers nest, with commas only between values")
    func nesting() {
        let result = text {
            $0.object {
                $0.array("empty", [] as [Int64])
                $0.object("none") { _ in }
                $0.array("list", [1, 2, 3] as [Int64])
                $0.array("pairs", ["a", "b"]) { json, name in
                    json.object { $0.member("name", name) }
                }
                $0.object("missing", nil as Int?) { json, value in json.member("v", value) }
                $0.object("there", 5) { json, value in json.member("v", value) }
                $0.key("mixed")
                $0.array {
                    $0.value("x")
                    $0.null()
                    $0.value(nil as Bool?)
                    $0.array { $0.value(1) }
                    $0.raw(Array(#"{"made":"elsewhere"}"#.utf8))
                }
            }
        }
        #expect(
            result == #"{"empty":[],"none":{},"list":[1,2,3],"pairs":[{"name":"a"},{"name":"b"}],"#
                + #""missing":null,"there":{"v":5},"mixed":["x",null,null,[1],"#
                + #"{"made":"elsewhere"}]}"#
        )
    }

    @Test("Only required escapes are written")
    func escaping() throws {
        let all = String(String.UnicodeScalarView((0..<0x180).compactMap { Unicode.Scalar($0) }))
        let written = text { $0.value(all + "/😀\u{2028}") }
        #expect(
            try JSONDecoder().decode(String.self, from: Data(written.utf8))
                == all + "/😀\u{2028}")
        #expect(
            text { $0.value("a/b\"c\\d\u{8}\u{9}\u{A}\u{C}\u{D}\u{0}\u{1F}\u{7F}") }
                == "\"a/b\\\"c\\\\d\\b\\t\\n\\f\\r\\u0000\\u001f\u{7F}\"")
    }

    @Test("Lines of NDJSON are independent, and memory is reused")
    func lines() {
        var json = JSONWriter()
        for number in 1...2 {
            json.object { $0.member("n", number) }
            json.newline()
        }
        #expect(json.bytes == Array("{\"n\":1}\n{\"n\":2}\n".utf8))
        json.removeAll()
        json.value(3)
        #expect(json.bytes == Array("3".utf8))
    }

    @Test("An array ends with the element that exceeds the bound of the output")
    func bound() {
        for (limit, last) in [(9, 1), (10, 2), (11, 2), (15, 4), (16, 5), (.max, 5)] {
            var count = 0
            let result = text { json in
                json.byteLimit = limit
                json.object {
                    $0.array("list", 1...5) { json, number in
                        json.value(number)
                        count = number
                    }
                }
            }
            #expect(count == last, "\(result)")
        }
    }

    @Test("An error of the body reaches the caller with its type")
    func errors() {
        let error = #expect(throws: JSONError.self) {
            var json = JSONWriter()
            try json.object { (_) throws(JSONError) in throw JSONError(.malformed, offset: 3) }
        }
        #expect(error?.offset == 3)
    }
}
