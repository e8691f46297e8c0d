"""Licences as the Hugging Face hub names them, with their texts.

>>> demand_licence("CC-BY-4.0")
'cc-by-4.0'
>>> licence_url("cc-by-4.0")
'https://creativecommons.org/licenses/by/4.0/'
"""

from __future__ import annotations

from collections.abc import Mapping

from merula.core.diagnostics import MerulaError
from merula.core.wording import near

# All that the hub knows, each with the address of its text. It is empty if there are several texts,
# or none that everybody agrees on.
SPDX = "https://spdx.org/licenses/"
CC = "https://creativecommons.org/licenses/"
LICENCES: Mapping[str, str] = {
    "apache-2.0": f"{SPDX}Apache-2.0.html",
    "mit": f"{SPDX}MIT.html",
    "openrail": "",
    "bigscience-openrail-m": "",
    "creativeml-openrail-m": "",
    "bigscience-bloom-rail-1.0": "",
    "bigcode-openrail-m": "",
    "afl-3.0": f"{SPDX}AFL-3.0.html",
    "artistic-2.0": f"{SPDX}Artistic-2.0.html",
    "bsl-1.0": f"{SPDX}BSL-1.0.html",
    "bsd": "",
    "bsd-2-clause": f"{SPDX}BSD-2-Clause.html",
    "bsd-3-clause": f"{SPDX}BSD-3-Clause.html",
    "bsd-3-clause-clear": f"{SPDX}BSD-3-Clause-Clear.html",
    "c-uda": f"{SPDX}C-UDA-1.0.html",
    "cc": "",
    "cc0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "cc-by-2.0": f"{CC}by/2.0/",
    "cc-by-2.5": f"{CC}by/2.5/",
    "cc-by-3.0": f"{CC}by/3.0/",
    "cc-by-4.0": f"{CC}by/4.0/",
    "cc-by-sa-3.0": f"{CC}by-sa/3.0/",
    "cc-by-sa-4.0": f"{CC}by-sa/4.0/",
    "cc-by-nc-2.0": f"{CC}by-nc/2.0/",
    "cc-by-nc-3.0": f"{CC}by-nc/3.0/",
    "cc-by-nc-4.0": f"{CC}by-nc/4.0/",
    "cc-by-nd-4.0": f"{CC}by-nd/4.0/",
    "cc-by-nc-nd-3.0": f"{CC}by-nc-nd/3.0/",
    "cc-by-nc-nd-4.0": f"{CC}by-nc-nd/4.0/",
    "cc-by-nc-sa-2.0": f"{CC}by-nc-sa/2.0/",
    "cc-by-nc-sa-3.0": f"{CC}by-nc-sa/3.0/",
    "cc-by-nc-sa-4.0": f"{CC}by-nc-sa/4.0/",
    "cdla-sharing-1.0": f"{SPDX}CDLA-Sharing-1.0.html",
    "cdla-permissive-1.0": f"{SPDX}CDLA-Permissive-1.0.html",
    "cdla-permissive-2.0": f"{SPDX}CDLA-Permissive-2.0.html",
    "wtfpl": f"{SPDX}WTFPL.html",
    "ecl-2.0": f"{SPDX}ECL-2.0.html",
    "epl-1.0": f"{SPDX}EPL-1.0.html",
    "epl-2.0": f"{SPDX}EPL-2.0.html",
    "etalab-2.0": f"{SPDX}etalab-2.0.html",
    "eupl-1.1": f"{SPDX}EUPL-1.1.html",
    "eupl-1.2": f"{SPDX}EUPL-1.2.html",
    "agpl-3.0": f"{SPDX}AGPL-3.0-only.html",
    "gfdl": "",
    "gpl": "",
    "gpl-2.0": f"{SPDX}GPL-2.0-only.html",
    "gpl-3.0": f"{SPDX}GPL-3.0-only.html",
    "lgpl": "",
    "lgpl-2.1": f"{SPDX}LGPL-2.1-only.html",
    "lgpl-3.0": f"{SPDX}LGPL-3.0-only.html",
    "isc": f"{SPDX}ISC.html",
    "h-research": "",
    "intel-research": "",
    "lppl-1.3c": f"{SPDX}LPPL-1.3c.html",
    "ms-pl": f"{SPDX}MS-PL.html",
    "apple-ascl": "",
    "apple-amlr": "",
    "mpl-2.0": f"{SPDX}MPL-2.0.html",
    "odc-by": f"{SPDX}ODC-By-1.0.html",
    "odbl": f"{SPDX}ODbL-1.0.html",
    "openmdw-1.0": "",
    "openrail++": "",
    "osl-3.0": f"{SPDX}OSL-3.0.html",
    "postgresql": f"{SPDX}PostgreSQL.html",
    "ofl-1.1": f"{SPDX}OFL-1.1.html",
    "ncsa": f"{SPDX}NCSA.html",
    "unlicense": f"{SPDX}Unlicense.html",
    "zlib": f"{SPDX}Zlib.html",
    "pddl": f"{SPDX}PDDL-1.0.html",
    "lgpl-lr": f"{SPDX}LGPLLR.html",
    "deepfloyd-if-license": "",
    "fair-noncommercial-research-license": "",
    "llama2": "",
    "llama3": "",
    "llama3.1": "",
    "llama3.2": "",
    "llama3.3": "",
    "llama4": "",
    "grok2-community": "",
    "gemma": "",
    "unknown": "",
    "other": "",
}
COMMON = ("cc-by-4.0", "cc-by-sa-4.0", "cc0-1.0", "apache-2.0")
MEANING = (
    "cc-by-4.0 lets everybody use, change and pass on the data who names you; cc-by-sa-4.0 asks"
    " besides that what is made from them keeps the licence; cc0-1.0 asks for nothing"
)


def demand_licence(name: str) -> str:
    """Return the hub's identifier of a licence; raises `MerulaError` where it does not know it."""
    identifier = "-".join(name.casefold().split())
    if identifier in LICENCES:
        return identifier
    if not identifier:
        raise MerulaError.of(
            "M710",
            "no licence is given, so nobody would know what they may do with the data",
            remedy="say which: --licence cc-by-4.0",
            notes=[MEANING],
        )
    common = next((licence for licence in COMMON if licence.startswith(identifier)), None)
    meant = common or near(identifier, LICENCES)
    raise MerulaError.of(
        "M710",
        f"the Hugging Face hub does not know the licence `{_shown(name)}`",
        remedy=(f"did you mean {meant}? " if meant else "")
        + f"common ones are {', '.join(COMMON)}; `other` is for one that it does not know",
        notes=[MEANING],
    )


def licence_url(name: str) -> str:
    """Return the address of a licence's text; empty if there are several texts, or none."""
    return LICENCES.get(name, "")


def _shown(text: str) -> str:
    """Return the beginning of a text from the command line, with nothing that cannot be seen."""
    return "".join(c if c.isprintable() else f"<U+{ord(c):04X}>" for c in text[:60])


# --- citation ------------------------------------------------------------------------------------
