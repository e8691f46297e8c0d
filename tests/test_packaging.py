"""What a user installs: the wheel, with the data folders inside it."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from merula.language.parser_tables import FILE, tables

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("grammars", "lexicons", "templates")
GRAMMAR = "npi/sentential_negation"
LANGUAGE = "merula/language/"


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command as from a fresh shell; return its standard output, or fail with all of it."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source distribution, as the package index and pip would."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, cwd=ROOT)
    (built,) = out.glob("merula-*.whl")
    return built


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts folder of a new environment with the wheel in it.

    What merula depends on is borrowed from the environment that runs the tests. A folder named in a
    .pth file comes last on the path, and .pth files inside it are not read, so that neither an
    editable install there nor the checkout can stand in for the wheel.
    """
    home = tmp_path_factory.mktemp("venv")
    venv.create(home, with_pip=False, symlinks=True)
    bin_folder, library = (
        Path(sysconfig.get_path(name, "venv", {"base": str(home), "platbase": str(home)}))
        for name in ("scripts", "purelib")
    )
    pip = [sys.executable, "-m", "pip", "--python", str(bin_folder / "python"), "install"]
    run(*pip, "--quiet", "--no-deps", "--no-index", wheel, cwd=home)
    borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (library / "borrowed.pth").write_text("\n".join(sorted(borrowed)) + "\n")
    return bin_folder


def test_merula_comes_from_the_wheel(scripts: Path, tmp_path: Path) -> None:
    program = (
        "import merula, merula.core.resources as r; print(merula.__file__); print(r.data_root())"
    )
    package, data = map(Path, run(scripts / "python", "-c", program, cwd=tmp_path).splitlines())
    assert package.is_relative_to(scripts.parent)
    assert data == package.parent / "_data"


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_wheel_carries_every_file_of(folder: str, wheel: Path) -> None:
    prefix = f"merula/_data/{folder}/"
    packed = {
        name.removeprefix(prefix)
        for name in zipfile.ZipFile(wheel).namelist()
        if name.startswith(prefix)
    }
    here = ROOT / folder
    assert packed
    assert packed == {
        path.relative_to(here).as_posix() for path in here.rglob("*") if path.is_file()
    }


def test_of_the_documents_the_wheel_carries_only_the_explanations(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if "/docs/" in name}
    pages = (ROOT / "docs" / "errors").iterdir()
    assert names == {f"merula/_data/docs/errors/{page.name}" for page in pages}


def test_the_wheel_carries_the_tables_of_its_parser_and_of_slips(wheel: Path) -> None:
    packed = zipfile.ZipFile(wheel)
    here = ROOT / "src" / LANGUAGE
    for name in ("grammar.lark", "slips.tsv"):
        assert packed.read(LANGUAGE + name) == (here / name).read_bytes()
    tables()  # in a checkout they are made when they are first needed
    assert packed.read(LANGUAGE + FILE) == (here / FILE).read_bytes()


def test_an_installed_check_does_without_lark(scripts: Path, tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from merula.cli import main
from merula.language import parser_tables
path = Path(parser_tables.__file__).with_name(parser_tables.FILE)
before = path.stat()
sys.modules["lark"] = None  # an import of it raises
sys.argv = ["merula", "check", sys.argv[1]]
try:
    main()
finally:
    after = path.stat()
    print((before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns))
"""
    printed = run(scripts / "python", "-c", program, GRAMMAR, cwd=tmp_path)
    assert printed.splitlines() == ["1 file checked: no problems", "True"]


def test_the_wheel_says_that_it_is_typed(wheel: Path) -> None:
    assert "merula/py.typed" in zipfile.ZipFile(wheel).namelist()


def test_the_version_is_that_of_the_wheel(scripts: Path, wheel: Path, tmp_path: Path) -> None:
    _, version, *_ = wheel.name.split("-")
    assert version in run(scripts / "merula", "--version", cwd=tmp_path).split()


def test_help_names_the_commands(scripts: Path, tmp_path: Path) -> None:
    words = run(scripts / "merula", "--help", cwd=tmp_path).split()
    assert {"check", "count", "generate", "show"} <= set(words)


def test_a_packaged_grammar_is_found_by_name_from_anywhere(scripts: Path, tmp_path: Path) -> None:
    assert run(scripts / "merula", "count", GRAMMAR, cwd=tmp_path).strip()


def test_codes_are_explained_from_anywhere(scripts: Path, tmp_path: Path) -> None:
    assert run(scripts / "merula", "explain", "M101", cwd=tmp_path).startswith("M101 · ")
