"""Asks a ledger over both transports of the Model Context Protocol, with the client from PyPI.

    client_test.py --binary subledger --config FILE --url http://127.0.0.1:8080/mcp --token TOKEN \
        --chain ID
"""

import argparse
import asyncio
import sys

import httpx2
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

TOOLS = ["find", "access", "timeline", "metrics", "chains", "missing", "evidence"]
# Of one moment, so that both transports answer the same.
AT = "2026-01-01T00:00:00.000Z"
FAILURES = []


def check(holds, what):
    print(f"{'ok ' if holds else 'FAILED'}  {what}")
    if not holds:
        FAILURES.append(what)


def text(result):
    return result.content[0].text


async def refusal(client, name, arguments):
    """The stable code of an error of the protocol; None where there was none."""
    try:
        await client.call_tool(name, arguments)
    except MCPError as error:
        return (error.error.data or {}).get("code")
    return None


async def answers(client, chain, over):
    """What the tools answer; checks what is the same in every ledger."""
    check(client.server_info.name == "subledger", f"{over}: initialize")
    check(client.protocol_version == "2025-11-25", f"{over}: the newest revision")
    tools = (await client.list_tools()).tools
    check([tool.name for tool in tools] == TOOLS, f"{over}: tools/list")
    check(all(tool.annotations.read_only_hint for tool in tools), f"{over}: every tool only reads")

    found = await client.call_tool("find", {"text": chain})
    check(not found.is_error and chain in text(found), f"{over}: find")
    access = await client.call_tool("access", {"subscription": chain, "at": AT})
    check(not access.is_error and "Decided by event" in text(access), f"{over}: access")
    check("/console/production/subscriptions/" in text(access), f"{over}: a link to the console")
    timeline = await client.call_tool("timeline", {"subscription": chain, "limit": 5, "at": AT})
    check(not timeline.is_error, f"{over}: timeline")
    check(len(timeline.structured_content["entries"]) <= 5, f"{over}: a page of a timeline")
    churn = await client.call_tool(
        "metrics", {"from": "2025-01-01", "to": "2026-01-01", "interval": "quarter"})
    check(not churn.is_error and len(churn.structured_content["rows"]) == 4, f"{over}: metrics")
    separate = await client.call_tool(
        "metrics", {"name": "revenue", "from": "2025-01-01", "to": "2026-01-01", "rates": "none",
                    "interval": "quarter"})
    check(not separate.is_error, f"{over}: metrics without rates")
    chains = await client.call_tool(
        "chains", {"column": "new", "from": "2025-01-01", "to": "2026-01-01", "interval": "month"})
    check(not chains.is_error and len(chains.structured_content["chains"]) <= 20, f"{over}: chains")
    offers = await client.call_tool(
        "metrics", {"name": "retention-offers", "from": AT, "to": "2026-02-01T00:00:00.000Z"})
    check(not offers.is_error and "rows" in offers.structured_content,
          f"{over}: metrics retention-offers")
    missing = await client.call_tool("missing", {})
    check(not missing.is_error and "completeness" in text(missing), f"{over}: missing")
    check(("takes nothing in" in text(missing)) == (over == "stdio"), f"{over}: what is taken in")
    position = access.structured_content["evidence"][0]
    evidence = await client.call_tool("evidence", {"position": position})
    check(not evidence.is_error and "Apple's signature" in text(evidence), f"{over}: evidence")

    unknown = await client.call_tool("access", {"subscription": "no such id"})
    check(unknown.is_error, f"{over}: an unknown id is an error")
    check(unknown.structured_content["code"] == "noSuchSubscription", f"{over}: with its code")
    wrong = await client.call_tool("find", {"text": chain, "colour": "red"})
    check(wrong.structured_content["code"] == "unknownParameter", f"{over}: an unknown argument")
    for name in ("grant", "erase", "ingest"):
        check(await refusal(client, name, {}) == "unknownTool", f"{over}: {name} is refused")
    again = await client.call_tool("find", {"text": chain})
    check(not again.is_error, f"{over}: it answers after refusals")
    return [found, access, timeline, churn, separate, chains, offers, evidence]


def lasting(answer):
    """What does not depend on when it was asked."""
    return {key: value for key, value in answer.structured_content.items() if key != "at"}


async def run(options):
    command = StdioServerParameters(
        command=options.binary, args=["mcp", "--config", options.config])
    async with Client(command) as client:
        own = await answers(client, options.chain, "stdio")
        long = await asyncio.wait_for(refusal(client, "find", {"text": "x" * 65_536}), 60)
        check(long == "payloadTooLarge", "stdio: a message that is too long is refused")
    headers = {"Authorization": f"Bearer {options.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        async with Client(streamable_http_client(options.url, http_client=http)) as client:
            served = await answers(client, options.chain, "http")
    same = [lasting(one) == lasting(other) for one, other in zip(own, served)]
    check(all(same), "both transports answer the same")
    try:
        async with Client(options.url) as client:
            await client.list_tools()
        check(False, "http: no token, no answer")
    except Exception:  # The client's kind of error differs by version.
        check(True, "http: no token, no answer")


def main():
    parser = argparse.ArgumentParser()
    for name in ("binary", "config", "url", "token", "chain"):
        parser.add_argument(f"--{name}", required=True)
    asyncio.run(run(parser.parse_args()))
    sys.exit(1 if FAILURES else 0)


main()
