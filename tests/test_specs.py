"""The specs in tests/specs: programs with commands and what those print, word for word.

The format is that of `spec_runner`; ``[exit 1]`` stands under the output of a command that ends
with that code. ``pytest tests/test_specs.py --rewrite`` writes what the commands print now into the
files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from spec_runner import Section, changed, run_section, sections

SPECS = Path(__file__).parent / "specs"
ALL = [section for path in sorted(SPECS.glob("*.md")) for section in sections(path)]


@pytest.mark.parametrize("section", ALL, ids=str)
def test_spec(
    section: Section,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pytestconfig: pytest.Config,
) -> None:
    monkeypatch.chdir(tmp_path)
    now = run_section(section.text, tmp_path)
    if pytestconfig.getoption("rewrite") and now != section.text:
        text = section.path.read_text(encoding="utf-8")
        assert section.text in text
        section.path.write_text(text.replace(section.text, now), encoding="utf-8")
    else:
        assert now.splitlines() == section.text.splitlines()


def test_titles_are_unique() -> None:
    titles = [str(section) for section in ALL]
    assert sorted(set(titles)) == sorted(titles)


SAMPLE = """\
## a section

```merula title="x.merula"
phenomenon x
```

```console
$ merula check x.merula
whatever
$ cat x.merula
```
"""


def test_output_is_put_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    now = run_section(SAMPLE, tmp_path)
    assert now.startswith(SAMPLE.partition("whatever")[0])
    assert "warning[M112]" in now
    assert now.endswith("$ cat x.merula\nphenomenon x\n```\n")
    assert run_section(now, tmp_path) == now


CHANGED = """\
## a section

```merula title="x.merula"
phenomenon dogs
objects
  subj : NP
```

```diff changes="x.merula"
 objects
-  subj : NP
+  subj : NP
+  verb : VP
```

```tsv title="t.tsv" as="utf-16-le" times="2"
le garçon
```

```console
$ cat x.merula
phenomenon dogs
objects
  subj : NP
  verb : VP
$ ls .
t.tsv
x.merula
```
"""


def test_files_are_changed_and_written_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_section(CHANGED, tmp_path) == CHANGED
    assert (tmp_path / "t.tsv").read_text(encoding="utf-16-le") == "le garçon\n" * 2


@pytest.mark.parametrize("diff", ["-  subj : NP\n", "-subj : NP\n", "+objects\n", "objects\n"])
def test_a_change_has_one_place(diff: str) -> None:
    with pytest.raises(AssertionError):
        changed("  subj : NP\n  subj : NP\n", diff)


def test_rewrite_is_refused_in_ci(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    conftest = Path(__file__).with_name("conftest.py").read_text(encoding="utf-8")
    pytester.makeconftest(conftest.replace('pytest_plugins = ["pytester"]', ""))
    pytester.makepyfile("def test_it(): pass")
    monkeypatch.setenv("CI", "true")
    refused = pytester.runpytest("--rewrite")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(["*--rewrite is refused where CI is set*"])
    monkeypatch.delenv("CI")
    assert pytester.runpytest("--rewrite").ret == pytest.ExitCode.OK
