"""Compares signatures of `subledger sign --json` with those that Apple's library makes of the same
values: headers and claims are equal, and Apple's message is what was signed. Of Advanced Commerce,
every kind of request that the library has must occur, and its JSON is as the library encodes it,
member by member and in the same order.

    compare.py KEY.p8 KEY-ID ISSUER-ID BUNDLE-ID FILE

FILE has a list of {"values": {…}, "made": the output of sign}; the values are those of the bodies of
`POST /v1/signatures/…`.
"""

import base64
import importlib
import json
import pkgutil
import sys
import time
import uuid

import attr
import jwt
from appstoreserverlibrary import models
from appstoreserverlibrary.jws_signature_creator import (
    AdvancedCommerceAPIInAppSignatureCreator,
    IntroductoryOfferEligibilitySignatureCreator,
    PromotionalOfferV2SignatureCreator,
)
from appstoreserverlibrary.models.AbstractAdvancedCommerceInAppRequest import (
    AbstractAdvancedCommerceInAppRequest,
)
from appstoreserverlibrary.models.LibraryUtility import _get_cattrs_converter
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


class Recorder:
    """Takes the place of the library's key, and keeps the message that it would sign."""

    def sign(self, message, algorithm):
        self.message = message
        assert isinstance(algorithm, ec.ECDSA) and isinstance(algorithm.algorithm, hashes.SHA256)
        return b""


def need(holds, reason):
    if not holds:
        raise SystemExit(f"different: {reason}")


def request_kinds():
    """The library's requests of the Advanced Commerce API that an app signs, by operation."""
    for module in pkgutil.iter_modules(models.__path__):
        importlib.import_module(f"{models.__name__}.{module.name}")
    kinds = AbstractAdvancedCommerceInAppRequest.__subclasses__()
    return {attr.fields(kind).operation.default: kind for kind in kinds}


REQUEST_KINDS = request_kinds()


def decoded_request(text):
    """The JSON without white space: it keeps the order of members, and 1 apart from 1.0."""
    data = base64.b64decode(text, validate=True)
    return json.dumps(json.loads(data), separators=(",", ":"), ensure_ascii=False)


def apples(kind, values, pem, key_id, issuer, bundle):
    """The JWS that Apple's library makes."""
    if kind == "promotional-offer":
        return PromotionalOfferV2SignatureCreator(pem, key_id, issuer, bundle).create_signature(
            values["productId"], values["offerId"], values.get("transactionId"))
    if kind == "introductory-offer":
        creator = IntroductoryOfferEligibilitySignatureCreator(pem, key_id, issuer, bundle)
        return creator.create_signature(
            values["productId"], values["allowIntroductoryOffer"], values["transactionId"])
    request = values["request"]
    made = REQUEST_KINDS[request["operation"]]
    return AdvancedCommerceAPIInAppSignatureCreator(pem, key_id, issuer, bundle).create_signature(
        _get_cattrs_converter(made).structure(request, made))


def compare_token(kind, values, made, pem, public, names):
    theirs, ours = apples(kind, values, pem, *names), made["signature"]
    need(jwt.get_unverified_header(ours) == jwt.get_unverified_header(theirs), f"{kind}: header")
    options = {"verify_aud": False, "require": ["iss", "iat", "bid", "aud", "nonce"]}
    claims = [
        jwt.decode(token, public, algorithms=["ES256"], options=options) for token in (ours, theirs)
    ]
    for claim in claims:
        nonce, issued = claim.pop("nonce"), claim.pop("iat")
        need(str(uuid.UUID(nonce)) == nonce, f"{kind}: nonce")
        need(type(issued) is int and abs(issued - time.time()) < 3_600, f"{kind}: iat")
        if "request" in claim:
            claim["request"] = decoded_request(claim["request"])
    need(claims[0] == claims[1], f"{kind}: claims {claims[0]} and {claims[1]}")
    if "request" in claims[0]:
        # Nothing of the request is unknown to the library, or changed by the signature.
        given = json.dumps(values["request"], separators=(",", ":"), ensure_ascii=False)
        need(claims[0]["request"] == given, f"{kind}: {claims[0]['request']} for {given}")


def compare_first_form(values, made, pem, public, names):
    key_id, _, bundle = names
    creator, recorder = PromotionalOfferSignatureCreator(pem, key_id, bundle), Recorder()
    creator._signing_key = recorder
    creator.create_signature(
        values["productId"], values["offerId"], values.get("appAccountToken", ""),
        uuid.UUID(made["nonce"]), made["timestamp"])
    need(abs(made["timestamp"] / 1_000 - time.time()) < 3_600, "timestamp")
    signature = base64.b64decode(made["signature"], validate=True)
    # Throws for another message.
    public.verify(signature, recorder.message, ec.ECDSA(hashes.SHA256()))


def main(key_file, key_id, issuer, bundle, file):
    names = (key_id, issuer, bundle)
    with open(key_file, "rb") as opened:
        pem = opened.read()
    public = serialization.load_pem_private_key(pem, password=None).public_key()
    with open(file, encoding="utf-8") as opened:
        entries = json.load(opened)
    operations = {entry["values"].get("request", {}).get("operation") for entry in entries}
    need(operations - {None} == set(REQUEST_KINDS), f"operations {operations}")
    for entry in entries:
        made, values = entry["made"], entry["values"]
        need((made["bundleId"], made["keyId"]) == (bundle, key_id), "app or key")
        if made["kind"] == "promotional-offer-v1":
            compare_first_form(values, made, pem, public, names)
        else:
            compare_token(made["kind"], values, made, pem, public, names)
    print(f"ok  {len(entries)} signatures equal those of Apple's library")


main(*sys.argv[1:])
