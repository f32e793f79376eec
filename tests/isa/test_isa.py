"""Inspects the objects of the kernels, which are compiled once per instruction set (cmake/TendrilKernels.cmake).

Every weak function in them must live in the namespace of their set: the linker keeps one copy of a weak function for
the whole binary, and a copy with AVX-512 in it would crash ordinary code on machines without. And each set must use
the registers it is for, and none that it has not.
"""

import collections
import os
import pathlib
import re
import subprocess
import sys

SKIPPED = 77
SETS = ("reference", "v2", "avx2", "avx512")
WIDEST = {"reference": "xmm", "v2": "xmm", "avx2": "ymm", "avx512": "zmm"}
FORBIDDEN = {"reference": r"%[yz]mm", "v2": r"%[yz]mm", "avx2": r"%zmm", "avx512": None}


def output(*command):
    return subprocess.run([str(word) for word in command], check=True, text=True, capture_output=True).stdout


def weak_functions(symbols):
    """Demangled names of the weak functions that an object defines, from the table that objdump prints."""
    for line in symbols.splitlines():  # value, flags, section, size, name
        found = re.match(r"[0-9a-f]{16} (.{7}) (\S+)\s+[0-9a-f]{16}\s+(?:\.hidden\s+|\.protected\s+)?(.*)", line)
        if found and "w" in found[1] and "F" in found[1] and found[2] != "*UND*":
            yield found[3]


def check_the_checker():
    table = """0000000000000000  w    F .text._ZN1a1fEv\t000000000000000b .hidden a::f(b<c> const&)
0000000000000000 g     F .text\t000000000000000b .hidden a::g()
0000000000000000  w      *UND*\t0000000000000000 a::h()
0000000000000000  w    F .text._ZN1a1iEv\t000000000000000b a::i()"""
    assert list(weak_functions(table)) == ["a::f(b<c> const&)", "a::i()"]


def main():
    check_the_checker()
    if os.environ["TENDRIL_BUILD_TYPE"] != "Release":
        print("skipped: only optimised objects can be judged")
        sys.exit(SKIPPED)
    build = pathlib.Path(os.environ["TENDRIL_BUILD"], "CMakeFiles")
    objects = {isa: sorted((build / f"tendril_kernels_{isa}.dir").rglob("*.kernels.cpp.o")) for isa in SETS}
    if not any(objects.values()):
        print("skipped: there are no kernels yet")
        sys.exit(SKIPPED)
    assert len({len(found) for found in objects.values()}) == 1, f"not every kernel was built for every set: {objects}"

    offences, names_by_set, widest_by_set = [], collections.defaultdict(set), collections.Counter()
    for isa, found in objects.items():
        for obj in found:
            short = f"{isa}/{obj.name}"
            for name in weak_functions(output("objdump", "--syms", "--demangle", obj)):
                if f"isa_{isa}::" not in name:
                    offences.append(f"{short}: the weak function '{name}' is outside namespace isa_{isa}")
                names_by_set[isa].add(name)
            code = output("objdump", "--disassemble", "--no-show-raw-insn", obj)
            widest_by_set[isa] += len(re.findall(f"%{WIDEST[isa]}", code))
            if FORBIDDEN[isa] and re.search(FORBIDDEN[isa], code):
                offences.append(f"{short}: uses registers that {isa} does not have")
        if widest_by_set[isa] == 0:
            offences.append(f"{isa}: no kernel uses {WIDEST[isa]} registers")
    print(*offences, sep="\n")
    for isa in SETS:
        print(f"{isa}: {len(objects[isa])} objects, {len(names_by_set[isa])} weak functions, {widest_by_set[isa]} uses of {WIDEST[isa]}")
    sys.exit(1 if offences else 0)


main()
