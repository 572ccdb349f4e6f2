#!/usr/bin/env python3
"""A small SLM2 reader that speaks slm2-testee/1: stages 1 to 16, standard library only.

It is meant to be read beside corpus/spec/slm2.md (sections in comments) and testee.md, and
to be the start of a reader in any language. See README.md in this folder.
"""

import base64
import binascii
import json
import os
import struct
import sys

# ------------------------------------------------------------------ verdicts (section 1)


class Rejected(Exception):
    """The first check that failed."""

    def __init__(self, stage, code, section, offset=None):
        super().__init__(code)
        self.answer = {"verdict": "reject", "stage": stage, "code": code, "section": section}
        if offset is not None:
            self.answer["offset"] = offset


# -------------------------------------------------------------------- header (section 2)

HEADER_SIZE = 224
MAGIC = bytes.fromhex("534c4d320d0a1a0a")
FORMAT_ID = b"minimodel.slm2\0\0"
MAX = 2**53 - 1  # section 1: every position, length and count product

# Fields that one value is right for: offset, struct format, value, stage, code.
FIXED_BEFORE_CLASS = [
    (24, "<I", 224, 7, "BadHeaderSize"),
    (32, "<I", 0x01020304, 8, "BadByteOrderMarker"),
]
CLASSES = range(1, 14)  # section 3

# Sections in file order: name, offset of its header fields, bytes a record (None: bytes),
# name of its limit in section 4.
SECTIONS = [
    ("manifest", 48, None, "manifest_length"),
    ("strings", 64, None, "string_table_length"),
    ("quant", 80, 128, "quant_count"),
    ("tensors", 96, 192, "tensor_count"),
    ("blobs", 112, 96, "blob_count"),
    ("auxiliary", 128, 32, "auxiliary_count"),
    ("payload", 144, None, None),
]

# -------------------------------------------------------------------- limits (section 4)

FORMAT_LIMITS = {
    "file_size": MAX,
    "manifest_length": 4 << 20,
    "string_table_length": 16 << 20,
    "quant_count": 1024,
    "tensor_count": 65536,
    "blob_count": 4096,
    "auxiliary_count": 262144,
}
# Limits of stages that this reader does not reach: known, so that they are no reason to skip.
LATER_LIMITS = ["cbor_depth", "cbor_items", "cbor_text", "cbor_bytes", "cbor_entries", "rank"]


def check_limit(value, name, policy, stage, section, offset):
    if value > FORMAT_LIMITS[name]:
        raise Rejected(stage, "FormatLimitExceeded", section, offset)
    if value > policy.get(name, MAX):
        raise Rejected(stage, "PolicyLimitExceeded", section, offset)


# ------------------------------------------------------------------- sources (stage 1)


class Source:
    """Bytes in memory or in a file; whatever goes wrong while reading is SourceIo."""

    def __init__(self, path=None, data=None):
        try:
            self.file = None if path is None else open(path, "rb")
            self.data = data
            self.size = len(data) if path is None else os.fstat(self.file.fileno()).st_size
        except (OSError, ValueError):
            raise Rejected(1, "SourceIo", "none")

    def read(self, offset, length):
        try:
            if self.file is None:
                data = self.data[offset : offset + length]
            else:
                self.file.seek(offset)
                data = self.file.read(length)
        except OSError:
            raise Rejected(1, "SourceIo", "none")
        if len(data) != length:
            raise Rejected(1, "SourceIo", "none")
        return data

    def close(self):
        if self.file is not None:
            self.file.close()


# ----------------------------------------------------------------- stages 2 to 16 (section 8)


def validate(source, policy):
    """Raises Rejected for the first check that fails; returns where stage 16 is passed."""
    check_limit(source.size, "file_size", policy, 2, "file", None)
    if source.size < HEADER_SIZE:
        raise Rejected(3, "TruncatedHeader", "header", source.size)
    header = source.read(0, HEADER_SIZE)
    check_fixed_fields(header, source.size)
    sections = header_sections(header, policy)
    check_places(sections, source.size)
    check_padding(source, sections)


def field(header, offset, form):
    return struct.unpack_from(form, header, offset)[0]


def check_fixed_fields(header, size):
    """Stages 4 to 11."""
    if header[:4] == b"SLM1":
        raise Rejected(4, "UnsupportedLegacyFormat", "header", 0)
    if header[:8] != MAGIC:
        raise Rejected(4, "BadMagic", "header", 0)
    if header[8:24] != FORMAT_ID:
        raise Rejected(5, "BadFormatId", "header", 8)
    if (field(header, 28, "<H"), field(header, 30, "<H")) != (2, 0):
        raise Rejected(6, "UnsupportedVersion", "header", 28)
    for offset, form, right, stage, code in FIXED_BEFORE_CLASS:
        if field(header, offset, form) != right:
            raise Rejected(stage, code, "header", offset)
    if field(header, 36, "<H") not in CLASSES:
        raise Rejected(9, "UnknownArtifactClass", "header", 36)
    if field(header, 38, "<H") != 0:
        raise Rejected(10, "NonZeroFlags", "header", 38)
    if any(header[160:224]):
        raise Rejected(10, "NonZeroReserved", "header", 160)
    if field(header, 40, "<Q") != size:
        raise Rejected(11, "FileSizeMismatch", "header", 40)


def header_sections(header, policy):
    """Stage 12: the present sections as (name, offset, size), in file order."""
    for _, at, record_size, _ in SECTIONS:  # (a)
        fields = [at, at + 8] if record_size is None else [at]
        for offset in fields:
            if field(header, offset, "<Q") > MAX:
                raise Rejected(12, "IntegerRange", "header", offset)
    present = []
    for name, at, record_size, limit in SECTIONS:  # (b)
        offset = field(header, at, "<Q")
        if record_size is None:
            length = field(header, at + 8, "<Q")
            if name == "manifest":
                if length == 0:
                    raise Rejected(12, "MissingManifest", "header", at + 8)
            elif (offset == 0) != (length == 0):
                raise Rejected(12, "AbsentNotZero", "header", at)
            if limit is not None:
                check_limit(length, limit, policy, 12, "header", at + 8)
        else:
            count, stated = field(header, at + 8, "<I"), field(header, at + 12, "<I")
            if count == 0 and (offset != 0 or stated != 0):
                raise Rejected(12, "AbsentNotZero", "header", at)
            if count > 0 and stated != record_size:
                raise Rejected(12, "BadRecordSize", "header", at + 12)
            check_limit(count, limit, policy, 12, "header", at + 8)
            length = count * record_size
        if length > 0:
            present.append((name, offset, length))
    objects = field(header, 104, "<I") + field(header, 120, "<I")  # (c)
    if (present[-1][0] == "payload") != (objects > 0):
        raise Rejected(12, "PayloadPresence", "header", 144)
    return present


def align_up(x, a):
    return -(-x // a) * a


def check_places(sections, file_size):
    """Stages 13 to 15, each over all sections before the next begins."""
    for name, offset, size in sections:
        if offset + size > MAX:
            raise Rejected(13, "SectionOverflow", name)
    end = HEADER_SIZE
    for name, offset, size in sections:
        if offset % 64 != 0:
            raise Rejected(14, "SectionMisaligned", name)
        if offset != align_up(end, 64):
            raise Rejected(14, "SectionOutOfPlace", name)
        end = offset + size
    for name, offset, size in sections:
        if offset + size > file_size:
            raise Rejected(15, "SectionOutOfBounds", name)
    if end < file_size:
        raise Rejected(15, "TrailingBytes", "file", end)


def check_padding(source, sections):
    """Stage 16."""
    end = HEADER_SIZE
    for name, offset, size in sections:
        for at, byte in enumerate(source.read(end, offset - end), end):
            if byte != 0:
                raise Rejected(16, "NonZeroPadding", name, at)
        end = offset + size


# ------------------------------------------------------------------ protocol (testee.md)

TESTEE = {"name": "example", "version": "1.0", "language": "Python", "stages": [1, 16]}


def read_request(request):
    """The answer to a read: a rejection, or a skip, since an accept takes all 26 stages."""
    policy = request.get("policy", {})
    unknown = [name for name in policy if name not in FORMAT_LIMITS and name not in LATER_LIMITS]
    if unknown:
        return {"skip": "unknown policy " + unknown[0]}
    source = None
    try:
        if "path" in request:
            source = Source(path=request["path"])
        else:
            source = Source(data=base64.b64decode(request["bytes"], validate=True))
        validate(source, policy)
    except Rejected as rejected:
        return rejected.answer
    except (KeyError, binascii.Error):
        return {"skip": "neither path nor bytes in base64"}
    finally:
        if source is not None:
            source.close()
    return {"skip": "stages 1 to 16 found nothing"}


def main():
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if "hello" in request:
            answer = {"testee": TESTEE}
        elif request.get("op") == "read":
            answer = {"id": request["id"], **read_request(request)}
        else:
            answer = {"id": request.get("id"), "skip": "only read is done here"}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
