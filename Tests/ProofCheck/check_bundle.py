"""Checks a bundle of `subledger audit prove`, written from Proof.md and Log.md alone: nothing of
Subledger is used, and of PyPI only `cryptography`. It does not fold: that Apple's events give the
answer is checked by `subledger audit check`.

    check_bundle.py FILE [--key VERIFIER-KEY] [--root SHA256 of a trusted root] [--flip STEP]

FILE is a bundle, or the page of one. With --flip, a bundle must also be refused with one bit of every
STEP-th byte changed.
"""

import argparse
import base64
import hashlib
import json
import sys
from datetime import datetime, timezone

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

APPLE_ROOT = "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"
LEAF_MARK = x509.ObjectIdentifier("1.2.840.113635.100.6.11.1")
INTERMEDIATE_MARK = x509.ObjectIdentifier("1.2.840.113635.100.6.2.1")
SIGNED_PARTS = ("signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo")
# Of "signed", what a local certificate signed has the trust "xcode".
TRUSTS = {
    "notification": "signed", "transaction": "signed", "renewalPair": "signed",
    "appTransaction": "signed", "receipt": "signed", "verifyReceipt": "transport",
    "sweep": "transport", "notificationV1": "secret", "command": "operator",
    "erasure": "operator",
}


class Refused(Exception):
    """The bundle does not prove what it says."""


def need(holds, reason):
    if not holds:
        raise Refused(reason)


def strict_base64(text):
    data = base64.b64decode(text, validate=True)
    need(base64.b64encode(data).decode() == text, "base64 in another spelling")
    return data


def sha256(data):
    return hashlib.sha256(data).digest()


# --- The checkpoint: a C2SP signed note ---


def checkpoint(note, verifier_key):
    name, key_id, material = verifier_key.split("+", 2)
    material = strict_base64(material)
    need(len(material) == 33 and material[0] == 1, "no Ed25519 key")
    need(sha256(name.encode() + b"\n" + material)[:4].hex() == key_id, "the key's id is wrong")
    text, signatures = note.split("\n\n", 1)
    lines = signatures.splitlines()
    need(len(lines) == 1 and signatures.endswith("\n"), "not one signature")
    dash, signer, signature = lines[0].split(" ")
    signature = strict_base64(signature)
    need(dash == "\u2014" and signer == name and signature[:4].hex() == key_id, "another signer")
    Ed25519PublicKey.from_public_bytes(material[1:]).verify(
        signature[4:], (text + "\n").encode())
    origin, size, root = text.split("\n")
    need(origin == name, "of another log")
    need(str(int(size)) == size and int(size) >= 0, "a size in another spelling")
    return int(size), strict_base64(root)


# --- The tree: RFC 9162, 2.1.3.2 ---


def included(leaf_hash, index, size, path, root):
    need(0 <= index < size, "beyond the log")
    node, last, found = index, size - 1, leaf_hash
    for sibling in path:
        need(last > 0, "a path that is too long")
        if node & 1 or node == last:
            found = sha256(b"\x01" + sibling + found)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            found = sha256(b"\x01" + found + sibling)
        node, last = node >> 1, last >> 1
    need(last == 0 and found == root, "not in the log")


def leaf_fields(data):
    fields, rest = [], data
    while rest:
        length = int.from_bytes(rest[:4], "big")
        rest = rest[4:]
        if length == 0xFFFFFFFF:
            fields.append(None)
            continue
        need(length <= len(rest), "a leaf that is cut")
        fields.append(rest[:length])
        rest = rest[length:]
    need(len(fields) == 17, "no leaf of this log")
    return fields


# --- The evidence: a JWS by Apple ---


def segment(text):
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    need(base64.urlsafe_b64encode(data).rstrip(b"=").decode() == text, "base64url otherwise")
    return data


def valid_from(certificate):
    found = getattr(certificate, "not_valid_before_utc", None)
    return found or certificate.not_valid_before.replace(tzinfo=timezone.utc)


def valid_to(certificate):
    found = getattr(certificate, "not_valid_after_utc", None)
    return found or certificate.not_valid_after.replace(tzinfo=timezone.utc)


def payload_of(token):
    # A part that is the literal null states nothing.
    return json.loads(segment(token.split(".")[1])) or {}


def own_date(body):
    return body.get("signedDate") or body.get("receiptCreationDate")


def signed_parts(body):
    holders = (body, body.get("data") or {}, body.get("appData") or {})
    return [one[name] for one in holders for name in SIGNED_PARTS if one.get(name)]


def jws(token, roots, fallback_date):
    header, payload, signature = token.split(".")
    head, body = json.loads(segment(header)), payload_of(token)
    need(head.get("alg") == "ES256" and len(head["x5c"]) == 3, "not ES256 by three")
    need("crit" not in head, "a critical extension of the header")
    chain = [x509.load_der_x509_certificate(strict_base64(der)) for der in head["x5c"]]
    leaf, middle, root = chain
    fingerprint = root.fingerprint(hashes.SHA256()).hex()
    need(fingerprint in roots, "the root is not trusted")
    for certificate, issuer in ((leaf, middle), (middle, root), (root, root)):
        need(certificate.issuer == issuer.subject, "a certificate of another issuer")
        issuer.public_key().verify(
            certificate.signature, certificate.tbs_certificate_bytes,
            ec.ECDSA(certificate.signature_hash_algorithm))
    leaf.extensions.get_extension_for_oid(LEAF_MARK)
    middle.extensions.get_extension_for_oid(INTERMEDIATE_MARK)
    raw = segment(signature)
    need(len(raw) == 64, "no ES256 signature")
    der = utils.encode_dss_signature(
        int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    leaf.public_key().verify(
        der, f"{header}.{payload}".encode(), ec.ECDSA(hashes.SHA256()))
    parts = signed_parts(body)
    # Verification.md, "Effective date".
    inside = [own_date(payload_of(part)) for part in parts]
    date = own_date(body) or max(filter(None, inside), default=fallback_date)
    when = datetime.fromtimestamp(date / 1000, timezone.utc)
    for certificate in chain:
        need(valid_from(certificate) <= when <= valid_to(certificate), "not valid then")
    for part in parts:
        jws(part, roots, date)
    return fingerprint


def signer(root):
    return "Apple" if root == APPLE_ROOT else f"the trusted root {root}"


def evidence_bytes(event):
    encoding, evidence = event["evidenceEncoding"], event["evidence"]
    if encoding is None:
        need(evidence is None, "evidence without an encoding")
        return None
    data = evidence.encode() if encoding == "text" else strict_base64(evidence)
    is_text = all(0x20 <= byte < 0x7F for byte in data)
    need(encoding == ("text" if is_text else "base64"), "evidence in another encoding")
    return data


# --- What the evidence names, and what the leaf does ---


def event_key(kind, ids):
    """Log.md, "Keys, duplicates, conflicts"."""
    found = hashlib.sha256()
    for value in (kind, *ids):
        data = str(int(value) if isinstance(value, float) else value).encode()
        found.update(b"\xff" * 8 if value is None else len(data).to_bytes(8, "big") + data)
    return found.digest()


def key_ids(kind, bodies, status, payload_hash):
    first = bodies[0]
    if kind == "notification":
        uuid = first.get("notificationUUID")
        return (None, payload_hash.hex()) if uuid is None else (uuid,)
    if kind == "appTransaction":
        names = ("bundleId", "appTransactionId", "receiptCreationDate", "deviceVerificationNonce")
        return [first.get(name) for name in names]
    ids = [first.get("bundleId"), first.get("transactionId"), first.get("signedDate")]
    if kind == "renewalPair":
        ids[1:1] = [first.get("originalTransactionId")]
        ids += [bodies[1].get("signedDate"), status]
    return ids


def stated(bodies):
    """The environments and the apps that payloads and their parts name."""
    holders = []
    for body in bodies:
        kept = [body.get(name) for name in ("data", "summary", "externalPurchaseToken", "appData")]
        holders += [body, *kept, *map(payload_of, signed_parts(body))]
        token_id = (kept[2] or {}).get("externalPurchaseId")
        if token_id is not None and kept[0] is None and kept[1] is None:
            is_sandbox = token_id.startswith("SANDBOX")
            holders.append({"environment": "Sandbox" if is_sandbox else "Production"})
    holders = list(filter(None, holders))
    named = lambda name: [one[name] for one in holders if one.get(name) is not None]
    return named("environment") + named("receiptType"), named("bundleId")


def named_chain(kind, bodies):
    parts = map(payload_of, signed_parts(bodies[0])) if kind == "notification" else bodies[:1]
    ids = [body.get("originalTransactionId") for body in parts]
    return next(filter(None, ids), "").encode()


def check_jws(kind, tokens, status, fields, environment, is_own):
    payloads = [segment(token.split(".")[1]) for token in tokens]
    bodies = [payload_of(token) for token in tokens]
    text = "" if status is None else str(status)
    payload_hash = sha256(b"".join(payloads) + text.encode())
    need(payload_hash == fields[8], "another payload than logged")
    key = event_key(kind, key_ids(kind, bodies, status, payload_hash))
    if fields[15] is not None:
        need(fields[15] == key, "another identity than logged")
        key = sha256(key + payload_hash)
    need(key == fields[3], "another key than logged")
    environments, apps = stated(bodies)
    need(all(name == environment for name in environments), "of another environment")
    need(environments or not is_own, "of no environment")
    need(apps and all(name.encode() == fields[9] for name in apps), "of another app")
    if kind != "appTransaction":
        need(named_chain(kind, bodies) == (fields[10] or b""), "logged under another chain")
    if kind == "notification":
        names = ("notificationType", "subtype", "notificationUUID")
        logged = [field and field.decode() for field in fields[11:14]]
        need(logged == [bodies[0].get(name) for name in names], "of another type")


def check_body(body, fields, environment):
    """A body that no JWS signs names what its leaf does, where it names that."""
    parts = [body.get(name) for name in ("unified_receipt", "receipt")]
    unified, receipt = [part if isinstance(part, dict) else {} for part in parts]
    kind = receipt.get("receipt_type")
    named = body.get("environment") or unified.get("environment") or (
        kind and ("Sandbox" if kind.endswith("Sandbox") else "Production"))
    named = "Production" if named == "PROD" else named
    need(not named or named == environment, "of another environment")
    for name in (body.get("bundleId"), body.get("bid"), receipt.get("bundle_id")):
        need(not name or name.encode() == fields[9], "of another app")
    chain = body.get("originalTransactionId")
    need(not chain or chain.encode() == fields[10], "logged under another chain")


def check_event(event, environment, size, root, roots):
    data = strict_base64(event["leafData"])
    fields = leaf_fields(data)
    position = int.from_bytes(fields[0], "big")
    need(position == event["position"], "a leaf of another position")
    path = [strict_base64(node) for node in event["inclusion"]]
    included(sha256(b"\x00" + data), position - 1, size, path, root)
    evidence = evidence_bytes(event)
    kind, trust = fields[2].decode(), fields[6].decode()
    if evidence is None:
        return f"#{position} {kind}: its evidence is not here"
    need(sha256(evidence) == fields[4], "other evidence than logged")
    is_local = TRUSTS[kind] == "signed" and environment in ("Xcode", "LocalTesting")
    need(trust == TRUSTS[kind] or is_local and trust == "xcode", f"a {kind} of the trust {trust}")
    if TRUSTS[kind] != "signed" or kind == "receipt":
        if kind in ("command", "notificationV1", "verifyReceipt"):
            check_body(json.loads(evidence), fields, environment)
        return f"#{position} {kind}: not a JWS by Apple ({trust})"
    pair = json.loads(evidence) if kind == "renewalPair" else {}
    tokens = [pair[name] for name in SIGNED_PARTS[:2]] if pair else [evidence.decode()]
    # Earlier releases logged what a local certificate signed as signed.
    is_own = is_local and all(
        len(json.loads(segment(token.split(".")[0]))["x5c"]) == 1 for token in tokens)
    need(is_own or trust == "signed", f"a {kind} of the trust {trust}")
    check_jws(kind, tokens, pair.get("status"), fields, environment, is_own)
    if is_own:
        return f"#{position} {kind}: not a JWS by Apple (xcode)"
    received_at = int.from_bytes(fields[1], "big", signed=True)
    # For a part of a pair without a date, the other's.
    date = max(filter(None, map(own_date, map(payload_of, tokens))), default=received_at)
    signed_by, *_ = [jws(token, roots, date) for token in tokens]
    need(fields[16] is None or fields[16].hex() == signed_by, "another root than logged")
    return f"#{position} {kind}: signed by {signer(signed_by)}"


def check_cell(query):
    """The figure of a cell is that of the interval it states only where these are in order."""
    times = [
        datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")
        for text in (query["cell"]["to"], query["now"], query["at"])
    ]
    need(times == sorted(times), "the cell ends after its report, or that after its query")


MEMBERS = ("format", "environment", "checkpoint", "key", "events", "answer", "seal")
EVENT_MEMBERS = ("position", "leafData", "inclusion", "evidence", "evidenceEncoding")
ANSWER_MEMBERS = ("query", "reducerVersion", "catalogue", "leeway", "value")


def check_form(bundle):
    """The members of a bundle and their order."""
    need(tuple(bundle) == MEMBERS, "other members")
    for event in bundle["events"]:
        need(tuple(event) == EVENT_MEMBERS, "other members of an event")
        need(type(event["position"]) is int, "a position that is no integer")
    answer = bundle["answer"]
    need(answer is None or tuple(answer) == ANSWER_MEMBERS, "other members of the answer")


PAGE_START = b'<script type="application/json" id="bundle">'


def check(data, key, roots):
    is_page = data.startswith(b"<")
    if is_page:
        data = data.partition(PAGE_START)[2].partition(b"</script>")[0]
    # Every number of a bundle is whole.
    bundle = json.loads(data, parse_float=lambda text: need(False, f"the number {text}"))
    need(bundle["format"] == "subledger-proof/1", "another format")
    canonical = json.dumps(bundle, separators=(",", ":"), ensure_ascii=False) + "\n"
    spelling = canonical.replace("<", "\\u003c") if is_page else canonical
    need(spelling.encode() == data, "another spelling of a bundle")
    check_form(bundle)
    if key:
        need(bundle["key"] == key, "of another key")
    size, root = checkpoint(bundle["checkpoint"], bundle["key"])
    seal = bundle.pop("seal")
    rest = json.dumps(bundle, separators=(",", ":"), ensure_ascii=False) + "\n"
    material = strict_base64(bundle["key"].split("+", 2)[2])
    Ed25519PublicKey.from_public_bytes(material[1:]).verify(
        strict_base64(seal), (bundle["format"] + "\n" + rest).encode())
    yield f"checkpoint of {size} events by {bundle['key']}"
    positions = [event["position"] for event in bundle["events"]]
    need(positions and positions == sorted(set(positions)), "events are not in order")
    keys = {leaf_fields(strict_base64(event["leafData"]))[3] for event in bundle["events"]}
    need(len(keys) == len(positions), "an event twice")
    for event in bundle["events"]:
        yield check_event(event, bundle["environment"], size, root, roots)
    if bundle["answer"] and "cell" in bundle["answer"]["query"]:
        check_cell(bundle["answer"]["query"])


REFUSALS = (Refused, InvalidSignature, ValueError, KeyError, TypeError, AttributeError,
            x509.ExtensionNotFound, OverflowError)


def is_refused(data, key, roots):
    try:
        for _ in check(data, key, roots):
            pass
    except REFUSALS:
        return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--key")
    parser.add_argument("--root", action="append", default=[])
    parser.add_argument("--flip", type=int)
    options = parser.parse_args()
    roots = {APPLE_ROOT, *options.root}
    with open(options.file, "rb") as file:
        data = file.read()
    try:
        for line in check(data, options.key, roots):
            print("ok ", line)
    except REFUSALS as error:
        print("BAD", type(error).__name__, error)
        return 1
    for index in range(0, len(data), options.flip) if options.flip else ():
        other = bytearray(data)
        other[index] ^= 1 << index % 7
        if not is_refused(bytes(other), options.key, roots):
            print("BAD accepted with byte", index, "changed")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
