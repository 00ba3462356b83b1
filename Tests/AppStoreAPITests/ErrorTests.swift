import AppStore
import AppStoreAPI
import Testing

@Suite("Apple's errors")
struct ErrorTests {
    /// Apple's "errors to retry", its internal failures, and 429 (App Store Server API).
    static let retryable: Set<Int64> = [
        4_040_002, 4_040_004, 4_040_006, 4_290_000, 5_000_000, 5_000_001,
    ]

    @Test(
        "a 200 without its essential members is an error, not an empty response",
        arguments: [
            "{}", "{\"errorCode\":4000000,\"errorMessage\":\"x\"}",
            "{\"notificationHistory\":[],\"signedTransactions\":[]}", "{\"hasMore\":false}",
            "{\"notificationHistory\":[],\"signedTransactions\":[],\"paginationToken\":\"x\"}",
        ])
    func hollow(_ body: String) async throws {
        let asked = try Asked([.json(body)])
        let client = asked.client
        var window = NotificationHistoryRequest()
        window.startDate = Asked.start
        window.endDate = Asked.start.advanced(byMilliseconds: 1)
        let request = window
        let questions: [@Sendable () async throws -> Void] = [
            { _ = try await client.notificationHistory(request, in: .production) },
            {
                _ = try await client.transactionHistory(
                    "1", TransactionHistoryRequest(), in: .only(.production))
            },
            { _ = try await client.refundHistory("1", in: .only(.production)) },
            { _ = try await client.allSubscriptionStatuses("1", in: .only(.production)) },
            { _ = try await client.transactionInfo("1", in: .only(.production)) },
        ]
        for question in questions {
            #expect(await Asked.failure { try await question() }?.code == .unreadableAnswer)
        }
    }

    @Test(
        "no remedy is to correct a request that is correct",
        arguments: [
            Int64(4_000_213), 4_030_014, 4_030_016, 4_030_017, 4_030_018, 4_030_019, 4_030_026,
            4_040_014, 4_040_015, 4_040_018, 4_040_020, 4_040_021, 4_090_000, 4_090_001,
        ])
    func correctRequest(_ number: Int64) throws {
        let code = try #require(APIErrorCode(rawValue: number))
        #expect(code.remedy != APIErrorCode.generalBadRequest.remedy)
    }

    @Test(
        "every number has its status, its retryability and a remedy, and its failure names it",
        arguments: APIErrorCode.allCases)
    func failure(_ code: APIErrorCode) async throws {
        #expect([400, 403, 404, 409, 429, 500].contains(code.rawValue / 10_000))
        #expect(code.isRetryable == ErrorTests.retryable.contains(code.rawValue))
        #expect(code.remedy.hasSuffix("."))
        let asked = try Asked(
            [.refusal(code.rawValue)], policy: RetryPolicy(attempts: 2, budgetMilliseconds: 60_000))
        let failure = try #require(
            await Asked.failure {
                _ = try await asked.client.transactionInfo("1", in: .only(.production))
            })
        #expect(failure.appleCode == Raw(code))
        #expect(failure.status == Int(code.rawValue / 10_000))
        #expect(failure.environment == .production)
        #expect(failure.isRetryable == code.isRetryable)
        #expect((failure.code == .refusedByApple) == !code.isRetryable)
        #expect(asked.transport.requests.count == (code.isRetryable ? 2 : 1))
        #expect(!failure.description.contains("hidden words"))
    }

    @Test(
        "a 5xx is not a rejection, whatever number its body holds",
        arguments: [Int64(4_040_010), 4_040_001, 4_040_003, 4_000_012])
    func gateway(_ number: Int64) async throws {
        let asked = try Asked([
            .json("{\"errorCode\":\(number),\"errorMessage\":\"x\"}", status: 503)
        ])
        let failure = try #require(
            await Asked.failure {
                _ = try await asked.client.transactionInfo("1", in: .productionFirst)
            })
        #expect(failure.code == .appleUnavailable)
        #expect(failure.appleCode == nil)
        #expect(!failure.isUnknownId)
        #expect(asked.transport.requests.allSatisfy { !$0.url.contains("sandbox") })
    }

    @Test("all numbers of Apple's list are known")
    func complete() {
        #expect(APIErrorCode.allCases.count == 94)
    }

    @Test("an unknown number is kept, and not retried")
    func unknown() async throws {
        let asked = try Asked([.refusal(4_000_999)])
        let failure = await Asked.failure {
            _ = try await asked.client.transactionInfo("1", in: .only(.production))
        }
        #expect(failure?.code == .refusedByApple)
        #expect(failure?.appleCode?.rawValue == 4_000_999)
        #expect(failure?.appleCode?.value == nil)
        #expect(asked.transport.requests.count == 1)
    }

    @Test(
        "responses that are not Apple's are errors",
        arguments: [
            ("<html>", 200, APIFailure.Code.unreadableAnswer), ("[]", 200, .unreadableAnswer),
            ("{\"signedTransactionInfo\":1}", 200, .unreadableAnswer), ("", 200, .unreadableAnswer),
            ("no", 404, .unexpectedStatus),
        ])
    func garbage(_ body: String, _ status: Int, _ code: APIFailure.Code) async throws {
        let asked = try Asked([.json(body, status: status)])
        let failure = await Asked.failure {
            _ = try await asked.client.transactionInfo("1", in: .only(.production))
        }
        #expect(failure?.code == code)
        #expect(asked.transport.requests.count == 1)
    }

    @Test(
        "a redirect is reported as one, with the settings to check",
        arguments: [301, 302, 307, 308])
    func redirect(_ status: Int) async throws {
        let asked = try Asked([.json("", status: status)])
        let failure = await Asked.failure {
            _ = try await asked.client.transactionInfo("1", in: .only(.production))
        }
        #expect(failure?.code == .unexpectedStatus)
        #expect(failure?.reason.contains("redirect (\(status))") == true)
        #expect(failure?.remedy.contains("api.baseUrl") == true)
        #expect(failure?.remedy.contains("proxy") == true)
        #expect(asked.transport.requests.count == 1)
    }

    @Test("a history without a valid id is not requested", arguments: ["", " ", "1 2", "ä"])
    func unknownCustomer(_ id: String) async throws {
        let asked = try Asked([])
        var request = NotificationHistoryRequest()
        request.startDate = Timestamp(milliseconds: 0)
        request.endDate = Timestamp(milliseconds: 1)
        request.transactionId = id
        let failure = await Asked.failure { [request] in
            _ = try await asked.client.notificationHistory(request, in: .production)
        }
        #expect(failure?.code == .invalidRequest)
        #expect(asked.transport.requests.isEmpty)
    }

    @Test("a response that names another app is rejected")
    func anotherApp() async throws {
        let asked = try Asked([.json("{\"bundleId\":\"com.example.other\",\"data\":[]}")])
        let failure = await Asked.failure {
            _ = try await asked.client.allSubscriptionStatuses("1", in: .only(.production))
        }
        #expect(failure?.code == .answerForAnotherApp)
    }

    @Test(
        "failures contain neither id nor token",
        arguments: [
            ScriptedTransport.Step.refusal(4_040_010), .json("", status: 401),
            .json("secret-answer", status: 200), .failure(.timedOut), .failure(.notConnected),
            .failure(.tooLarge),
        ])
    func secrecy(_ step: ScriptedTransport.Step) async throws {
        let asked = try Asked([step])
        let failure = try #require(
            await Asked.failure {
                _ = try await asked.client.transactionInfo("2000123", in: .productionFirst)
            })
        let token = try #require(asked.transport.requests.first?.header("authorization"))
        for text in ["\(failure)", String(reflecting: failure)] {
            #expect(!text.contains("2000123"))
            #expect(!text.contains("secret-answer"))
            #expect(!text.contains(token.dropFirst(7)))
        }
    }
}
