"""Checks a bundle of `subledger audit prove`, written from Proof.md alone: nothing of Subledger is
used, and of PyPI only `cryptography`. It does not fold: that Apple's events give the answer is
checked by `subledger audit check`.

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
    need(str(int(size)) == size, "a size in another spelling")
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


def jws(token, roots, fallback_date):
    header, payload, signature = token.split(".")
    head, body = json.loads(segment(header)), payload_of(token)
    need(head.get("alg") == "ES256" and len(head["x5c"]) == 3, "not ES256 by three")
    chain = [x509.load_der_x509_certificate(strict_base64(der)) for der in head["x5c"]]
    leaf, middle, root = chain
    need(root.fingerprint(hashes.SHA256()).hex() in roots, "the root is not trusted")
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
    parts = [
        holder[name]
        for holder in (body, body.get("data") or {}, body.get("appData") or {})
        for name in SIGNED_PARTS
        if holder.get(name)
    ]
    # Verification.md, "Effective date".
    inside = [own_date(payload_of(part)) for part in parts]
    date = own_date(body) or max(filter(None, inside), default=fallback_date)
    when = datetime.fromtimestamp(date / 1000, timezone.utc)
    for certificate in chain:
        need(valid_from(certificate) <= when <= valid_to(certificate), "not valid then")
    for part in parts:
        jws(part, roots, date)
    return body, root.fingerprint(hashes.SHA256()).hex()


def signer(root):
    return "Apple" if root == APPLE_ROOT else f"the trusted root {root}"


def evidence_bytes(event):
    encoding = event["evidenceEncoding"]
    if encoding is None:
        need(event["evidence"] is None, "evidence without an encoding")
        return None
    if encoding == "text":
        return event["evidence"].encode()
    need(encoding == "base64", "an unknown encoding")
    return strict_base64(event["evidence"])


def check_event(event, size, root, roots):
    data = strict_base64(event["leafData"])
    fields = leaf_fields(data)
    position = int.from_bytes(fields[0], "big")
    need(position == event["position"], "a leaf of another position")
    path = [strict_base64(node) for node in event["inclusion"]]
    included(sha256(b"\x00" + data), position - 1, size, path, root)
    evidence = evidence_bytes(event)
    received_at = int.from_bytes(fields[1], "big", signed=True)
    kind, trust = fields[2].decode(), fields[6].decode()
    if evidence is None:
        return f"#{position} {kind}: erased"
    need(sha256(evidence) == fields[4], "other evidence than logged")
    if trust != "signed" or kind == "receipt":
        return f"#{position} {kind}: not a JWS by Apple ({trust})"
    if kind == "renewalPair":
        pair = json.loads(evidence)
        tokens = (pair["signedTransactionInfo"], pair["signedRenewalInfo"])
        # For a part without a date, the other's.
        date = max(filter(None, map(own_date, map(payload_of, tokens))), default=received_at)
        (body, signed_by), _ = (jws(token, roots, date) for token in tokens)
    else:
        body, signed_by = jws(evidence.decode(), roots, received_at)
    chain = fields[10]
    if kind in ("transaction", "renewalPair"):
        need(body["originalTransactionId"].encode() == chain, "logged under another chain")
    return f"#{position} {kind}: signed by {signer(signed_by)}"


def check_cell(query):
    """The figure of a cell is that of the interval it states only where these are in order."""
    times = [
        datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")
        for text in (query["cell"]["to"], query["now"], query["at"])
    ]
    need(times == sorted(times), "the cell ends after its report, or that after its query")


PAGE_START = b'<script type="application/json" id="bundle">'


def check(data, key, roots):
    is_page = data.startswith(b"<")
    if is_page:
        data = data.partition(PAGE_START)[2].partition(b"</script>")[0]
    bundle = json.loads(data)
    need(bundle["format"] == "subledger-proof/1", "another format")
    canonical = json.dumps(bundle, separators=(",", ":"), ensure_ascii=False) + "\n"
    spelling = canonical.replace("<", "\\u003c") if is_page else canonical
    need(spelling.encode() == data, "another spelling of a bundle")
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
    for event in bundle["events"]:
        yield check_event(event, size, root, roots)
    query = (bundle["answer"] or {}).get("query", {})
    if "cell" in query:
        check_cell(query)


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
