"""Published data for the tests of `merula export`."""

from pathlib import Path

from click.testing import CliRunner, Result

from keys import KEYS as ATTRACTION
from merula.cli import main

TITLE = 'phenomenon keys "Agreement, with an attractor"'
KEYS = f"""{ATTRACTION.replace("phenomenon keys", TITLE)}\
paradigm crossed    = subj.number × verb.number varying attr.number
paradigm fine       = subj.number × attr.number
matrix four = 4 items
  subj.number cycles 2 of sg | pl every 1
  attr.number cycles 2 of sg | pl every 2
answers
  AE breaks E agreement: flip verb.number
  WN breaks R:           flip attr.number
"""

# Quotes, separators, several scripts, signs of more than two bytes, white space of other kinds.
KEYS_CSV = """\
set,subj.sg,subj.pl,attr.sg,attr.pl,verb.sg,verb.pl
key,the key,the keys,to the cabinet,to the cabinets,is rusty,are rusty
label,the “label”,the “labels”,"on ""it"", here","on ""them"", here",has faded,have faded
caffe,the café,the cafés,by the naïve façade,by the naïve façades,was 🗝 lost,were 🗝 lost
slovo,the слово,the слова,with a\u00a0gap,with a\u00a0gaps,is 文字,are 文字
letter,the letter; it,the letters; it,from 'em,from 'ems,weighs 2|3,weigh 2|3
"""


def run(*args: object) -> Result:
    """The command with some arguments."""
    return CliRunner().invoke(main, [str(arg) for arg in args])


def publish(folder: Path, *args: object) -> Path:
    """Publish into a folder."""
    done = run("publish", *args, "--out", folder, "--licence", "cc0-1.0", "--quiet")
    assert done.exit_code == 0, done.output
    return folder


def keys(folder: Path, *args: object) -> Path:
    """Publish the paradigms and the matrix of `KEYS`."""
    (folder / "keys.merula").write_text(KEYS, encoding="utf-8")
    (folder / "keys.csv").write_text(KEYS_CSV, encoding="utf-8")
    return publish(folder / "data", folder / "keys.merula", *args)
