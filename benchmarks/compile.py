"""How long a grammar takes to compile, count and show, each as a whole process.

Run with ``python benchmarks/compile.py``. The large grammar is sentential negation with a
lexicon of 2,000 lexemes made for the purpose; the peer is a Python process that only imports
what every command needs (numpy and Lark's tables).
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUNS = 5


def large_lexicon(folder: Path) -> Path:
    """Sentential negation with 1,200 nouns and 800 verbs, 15 scenes, ten kinds of selection."""
    scenes = [f"scene{i}" for i in range(15)]
    sorts = ["person", "animal", "thing", "place", "content", "event"]
    nouns = ["lemma\tcategory\tsg\tpl\tsort\treadable\tedible\tscene"]
    for i in range(1200):
        sort = sorts[i % 7 % 6]
        scene = " | ".join(sorted({scenes[i * 7 % 15], scenes[i * 11 % 15]}))
        readable, edible = ["yes" if i % k == 0 else "" for k in (5, 9)]
        nouns.append(f"n{i}\tnoun\tn{i}\tn{i}s\t{sort}\t{readable}\t{edible}\t{scene}")
    verbs = [
        "lemma\tcategory\tparticiple\tframe\tsubject\tobject\taspect\trepeatable\tfactive\tscene"
    ]
    frames = ["intransitive", "transitive", "transitive", "clausal"]
    objects = ["person", "thing", "animal or thing", "content and readable", "thing and edible"]
    for i in range(800):
        frame = frames[i % 4]
        scene = "*" if frame != "transitive" else scenes[i % 15]
        what = objects[i % 5] if frame == "transitive" else ""
        row = [f"v{i}", "verb", f"v{i}ed", frame, "person", what, "eventive", "yes", "", scene]
        verbs.append("\t".join(row))
    text = (ROOT / "grammars" / "npi" / "sentential_negation.merula").read_text(encoding="utf-8")
    text = text[: text.index("examples")].replace('"en/', '"')
    path = folder / "large.merula"
    path.write_text(text, encoding="utf-8")
    (folder / "nouns.tsv").write_text("\n".join(nouns) + "\n", encoding="utf-8")
    (folder / "verbs.tsv").write_text("\n".join(verbs) + "\n", encoding="utf-8")
    return path


def cpu_seconds(*command: str) -> float:
    """User and system time of a process, the median of some runs."""
    times = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *command], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(times)


def main() -> None:
    """Print a table: command, CPU seconds, and the ratio to the peer."""
    with tempfile.TemporaryDirectory() as folder:
        large = str(large_lexicon(Path(folder)))
        merula = ("-m", "merula.cli")
        rows = {
            "import numpy, lark (peer)": ("-c", "import numpy, lark"),
            "merula --help": (*merula, "--help"),
            "check, 2,000 lexemes": (*merula, "check", large),
            "check sentential_negation": (*merula, "check", "npi/sentential_negation"),
            "check agreement_fr": (*merula, "check", "blm/agreement_fr"),
            "count, 2,000 lexemes": (*merula, "count", large),
            "show --instance, agreement_fr": (*merula, "show", "blm/agreement_fr", "-i", "99"),
        }
        peer = 0.0
        for name, command in rows.items():
            seconds = cpu_seconds(*command)
            peer = peer or seconds
            print(f"{name:32} {seconds:6.3f} s CPU  {seconds / peer:5.2f} × peer")


if __name__ == "__main__":
    main()
