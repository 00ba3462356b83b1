import AppStore
import Foundation
import TestSupport
import Testing

/// Randomly changed bytes: this reader and Foundation's agree on the contents, or both reject them,
/// except where this one is stricter on purpose.
@Suite("Mutated payloads")
struct MutationTests {
    static let seeds: [UInt64] = [1, 2, 3, 4]
    static let rounds = Soak.count(300, soak: 1_500)
    static let samples = [
        FullPayloads.minified(FullPayloads.transaction),
        FullPayloads.minified(FullPayloads.notification),
        #"{"a":[1,-2.5e3,"x\n\u00e9\ud83d\ude00é😀",true,false,null,{}],"b":{"c":[[[]]]},"d":""}"#,
        #"{"price":1990,"signedDate":1697679936049.7297,"isUpgraded":true,"offerType":1}"#,
    ]
    /// Bytes that matter to the grammar, chosen more often than others.
    static let reporting =
        Array("\"\\{}[],:0123456789.eE+-untrfalsA \n\t/".utf8) + [
            0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xED, 0xF0, 0xFF,
        ]

    private func mutate(_ text: [UInt8], _ random: inout SeededNumbers) -> [UInt8] {
        var text = text
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0..<text.count, using: &random)
            let byte =
                Bool.random(using: &random)
                ? Self.reporting[Int.random(in: 0..<Self.reporting.count, using: &random)]
                : UInt8.random(in: 0...255, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: text.insert(byte, at: place)
            case 1 where text.count > 1: text.remove(at: place)
            default: text[place] = byte
            }
        }
        return text
    }

    /// Where Foundation is more lenient, or more limited, than RFC 8259 and this reader.
    private func mayDiffer(_ code: JSONError.Code) -> Bool {
        switch code {
        case .duplicateKey, .tooDeep: true
        default: false
        }
    }

    @Test("Reader and Foundation agree", arguments: seeds)
    func agree(_ seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        var (read, refused) = (0, 0)
        for round in 0..<Self.rounds {
            let sample = Array(Self.samples[round % Self.samples.count].utf8)
            let text = mutate(sample, &random)
            let shown = String(decoding: text, as: UTF8.self)
            let witness = try? OracleTree.read(text)
            do throws(JSONError) {
                let value = try JSONValue.parse(text)
                read += 1
                let tree = OracleTree(value)
                // Foundation rejects numbers that no double can hold; this reader keeps their
                // digits.
                #expect(
                    witness == tree || (witness == nil && tree.holdsInfinity),
                    "seed \(seed), round \(round): \(shown)")
                #expect(try JSONValue.parse(value.encoded()) == value)
            } catch {
                refused += 1
                #expect(
                    witness == nil || mayDiffer(error.code),
                    "seed \(seed), round \(round), \(error): \(shown)")
            }
        }
        #expect(read > Self.rounds / 15 && refused > Self.rounds / 15)
    }

    @Test("Decoders throw or keep everything, for any bytes", arguments: seeds)
    func decoders(_ seed: UInt64) throws {
        var random = SeededNumbers(seed: seed &+ 100)
        for round in 0..<Self.rounds {
            let sample = Array(Self.samples[round % Self.samples.count].utf8)
            let text = mutate(sample, &random)
            guard let payload = try? TransactionPayload.decode(text) else { continue }
            let again = try TransactionPayload.decode(payload.encoded())
            #expect(again == payload, "seed \(seed), round \(round)")
            #expect(again.encoded() == payload.encoded())
        }
    }
}
