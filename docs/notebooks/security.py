# SPDX-License-Identifier: GPL-3.0-or-later
# %% [markdown]
# # A security study: PKM, forged and replayed messages
#
# The privacy sublayer of IEEE 802.16-2004 (clause 7) authenticates the station by its certificate, signs some management messages (HMAC), and encrypts
# payloads with a traffic encryption key (TEK). This notebook shows what each of these protects, and what it does not. Keys here are random; nothing is sent.

# %%
import random

from wimax import pdu as w
from wimax.pdu import GenericHeader, Keys, Pdu

chance = random.Random(7)
octets_of = chance.randbytes
UPLINK_CID = 0x0210

# %% [markdown]
# ## Keys (7.5.4)
#
# PKM gives station and base station an authorization key (AK, 20 octets), encrypted with the RSA key of the station's certificate. Both derive from it a key that
# encrypts TEKs (KEK), and a key for the digests of each direction.

# %%
ak = octets_of(20)
keys = Keys.derive(ak)
tek = octets_of(16)
wrapped = keys.wrap(tek)
print(f"TEK of 16 octets, {len(wrapped)} octets on the air; the station recovers it: {keys.unwrap(wrapped) == tek}")
other = Keys.derive(octets_of(20))
print(f"a station with another AK recovers it: {other.unwrap(wrapped) == tek}")

# %% [markdown]
# ## Digests of management messages (7.5.3)
#
# DSA, DSC, DSD, REG and key requests end with an HMAC. A changed octet, or the digest of the other direction, is noticed.

# %%
request = keys.sign(w.DsdReq(tid=0x8001, sfid=9), "uplink")
request.show()
forged = w.DsdReq.dissect(bytes(request))
forged.sfid = 10
print("genuine:", keys.verify(request, "uplink"), "- changed:", keys.verify(forged, "uplink"), "- sent back:", keys.verify(request, "downlink"))

# %% [markdown]
# A digest does not show when a message was sent. **The same octets are genuine a second time.** What stops a replayed DSD-REQ is the state machine: its
# transaction is over, and its service flow is gone. What is replayed later, when the transaction number is used again, is genuine; the AK must be renewed before.

# %%
replayed = w.DsdReq.dissect(bytes(request))
print("replayed:", keys.verify(replayed, "uplink"))

# %% [markdown]
# Ranging messages have no digest: anyone can send an RNG-RSP with "abort" to any CID.

# %%
abort = GenericHeader(cid=UPLINK_CID) / w.RngRsp(ranging_status=2)
print(len(bytes(abort)), "octets, without a key:", bytes(abort).hex())

# %% [markdown]
# ## Encryption: AES-CCM (7.5.1.2)
#
# AES-CCM encrypts and authenticates. Each PDU has a packet number; it is part of the nonce, and the receiver refuses numbers that it has seen.

# %%
plain = GenericHeader(cid=0x2001) / b"transfer 100 to Alice"
sealed = w.encrypt(plain, tek, pn=5)
print("on the air:", bytes(sealed).hex())
print("opened    :", w.decrypt(sealed, tek).payload)
for place in (-6, -20):
    octets = bytearray(bytes(sealed))
    octets[place] ^= 1
    damaged = Pdu.dissect(bytes(octets))
    damaged.crc = None  # an attacker computes a new CRC
    try:
        print("changed   :", w.decrypt(Pdu.dissect(bytes(damaged)), tek).payload)
    except w.DissectError as fault:
        print("changed   :", fault)

# %% [markdown]
# ## Encryption: DES-CBC (7.5.1.1)
#
# DES-CBC only encrypts. A changed octet spoils one block and changes chosen bits of the next one. The CRC is no protection: it has no key. Here the attacker
# knows the text, and changes an amount that is not addressed to him.

# %%
des, iv, frame = octets_of(8), octets_of(8), 77
text = b"to: Bob          amount: 00000100 EUR"
sealed = w.encrypt(GenericHeader(cid=0x2001) / text, des, cbc_iv=iv, frame_number=frame)
octets = bytearray(bytes(sealed))
start = len(octets) - 4 - len(text)              # payload, before the CRC
octets[start + 16 + 1] ^= ord("0") ^ ord("9")    # a block of eight octets before the one that it changes
changed = Pdu.dissect(bytes(octets))
changed.crc = None
opened = w.decrypt(Pdu.dissect(bytes(changed)), des, cbc_iv=iv, frame_number=frame)
print("opened:", opened.payload)
print("CRC is right:", Pdu.dissect(bytes(changed)).crc_ok)

# %% [markdown]
# A PDU that is replayed in a frame with another number decrypts to other octets in its first block only, as the frame number is part of the initialization
# vector; there is no packet number to refuse.

# %%
late = w.decrypt(sealed, des, cbc_iv=iv, frame_number=frame + 1)
assert isinstance(late.payload, bytes)
print("first block replayed later:", late.payload[:8] == text[:8], "- the others:", late.payload[8:] == text[8:])

# %% [markdown]
# ## Malformed PDUs
#
# A receiver must survive every input. Ten thousand damaged messages are read here: each is a message, or a counted error.

# %%
messages = [w.RngReq, w.SbcReq, w.RegReq, w.DsaReq, w.PkmReq, w.DlMap, w.UlMap]
read = refused = 0
for seed in range(10_000):
    kind = messages[seed % len(messages)]
    octets_sent = w.damage(bytes(GenericHeader(cid=0x10) / w.fuzz(kind, seed)), seed)
    burst = w.Burst.dissect(octets_sent)
    read += bool(burst.pdus)
    refused += burst.error is not None
print(f"{read} bursts with a PDU, {refused} with an error, no exception")
