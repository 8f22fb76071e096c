"""Break each promise by one line, in a copy of the checkout: a test has to fail.

A promise is what others rely on: SECURITY.md, identities with other libraries, the pages of the
README, links, downloads, what axe-core finds. The table says where it is kept, how one line breaks
it, and which test holds it. Run `python -m scripts.promises`, or `--part 3/10`; `make test-slow`
runs the tenth that the number of its commit gives (`--turn`).
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.live_app import chromium

ROOT = Path(__file__).parents[1]
LEFT_OUT = (".git", ".venv", ".*_cache", ".hypothesis", "dist", "site", "findings")


class Promise(NamedTuple):
    """What is promised, the one place that is broken, and what has to fail then."""

    says: str
    file: str
    old: str
    new: str
    test: str  # as pytest is given it


# Paths below bertviz_core/ and tests/, unless they begin with "/".
# fmt: off
PROMISES = [
    # SECURITY.md, from top to bottom
    Promise("no pickles", "senses/vector_files.py",
            "np.load(file, allow_pickle=False", "np.load(file, allow_pickle=True",
            "senses/test_vector_files.py::test_python_objects_are_said_with_the_call_that_mends_them"),
    Promise("an index names no file outside of its folder", "checkpoints/checkpoint.py",
            r"[\w-][\w.-]{,80}\.safetensors", r".*\.safetensors",
            "checkpoints/test_odd.py -k index"),
    Promise("no code of a model runs", "encoder/model.py",
            "BertModel.from_pretrained(", "BertModel.from_pretrained(trust_remote_code=True, *",
            "test_layers.py::test_nothing_is_unpickled_and_no_code_of_a_model_runs"),
    Promise("a visitor names no path", "ui/models.py",
            'key="model", **BOUND', 'key="model", accept_new_options=True, **BOUND',
            "ui/test_models.py::test_a_visitor_cannot_name_a_path"),
    Promise("the hub is asked for nothing that is here", "checkpoints/download.py",
            "        return locate(model)\n    try", "        pass\n    try",
            "checkpoints/test_download.py::test_from_a_name_to_a_bert"),
    Promise("a download is of its commit", "checkpoints/download.py",
            "if not is_commit or", "if",
            "checkpoints/test_download.py::test_a_name_that_cannot_be_had"),
    Promise("a download is bounded", "checkpoints/download.py",
            "if self.n > max_bytes", "if False",
            "checkpoints/test_download.py::test_more_bytes_than_announced"),
    Promise("weights have their SHA-256", "checkpoints/download.py",
            "if checkpoint.weights_hash() != (model.weights_sha256 or weights.etag)", "if False",
            "checkpoints/test_download.py::test_weights_of_another_sha256_are_removed"),
    Promise("nobody is asked for the server's address", "ui/server.py",
            'net_util._external_ip = ""', "net_util._external_ip = None",
            "ui/test_links.py::test_a_page_of_another_site_makes_the_server_ask_nobody"),
    Promise("no usage statistics", "/.streamlit/config.toml",
            "gatherUsageStats = false", "gatherUsageStats = true", "ui/test_settings.py"),
    Promise("what is typed is text, on pages", "showable.py",
            "{escape(showable(text))}", "{showable(text)}",
            "ui/test_every_view.py::test_any_text -k Sentence_Vectors"),
    Promise("what is typed is text, in a browser", "showable.py",
            "{escape(showable(text))}", "{showable(text)}",
            "browser/test_hostile_text.py::test_text_is_data"),
    Promise("what is typed is text, in figures", "figures/drawing.py",
            "return escape(showable(short, from_right=True), quote=False)",
            "return showable(short, from_right=True)",
            "figures/test_drawing.py::test_labels_are_literal"),
    Promise("no spreadsheet runs what is saved", "saved_files.py",
            """_FORMULA.sub("'", value) if isinstance(value, str) else value""", "value",
            "test_saved_files.py::test_no_text_of_a_csv_is_a_formula"),
    Promise("a table is saved by our file alone", "/.streamlit/config.toml",
            "disableDataExport = true", "disableDataExport = false",
            "browser/test_every_page.py::test_a_visit[Inside_the_Model]"),
    Promise("a message has few fields", "ui/server.py",
            "len(data) <= MAX_SIZE and few_fields(data)", "len(data) <= MAX_SIZE",
            "ui/test_server_limits.py::test_the_app_as_it_is_started_has_this_door"),
    Promise("a message is small", "/.streamlit/config.toml",
            "maxWidgetStateSize = 1\n", "maxWidgetStateSize = 5\n",
            "ui/test_server_limits.py::test_the_app_as_it_is_started_has_this_door"),
    Promise("messages are not compressed", "/.streamlit/config.toml",
            "enableWebsocketCompression = false", "enableWebsocketCompression = true",
            "ui/test_server_limits.py::test_the_largest_honest_message_enters"),
    Promise("the log grows little", "ui/log.py",
            "MAX_OF_LOGGER, MAX_BYTES = 50_000, 450_000", "MAX_OF_LOGGER, MAX_BYTES = 2**30, 2**30",
            "ui/test_errors.py::test_a_minute_of_any_messages_adds_little_to_the_log"),
    Promise("files of all sessions are bounded", "ui/server.py",
            "if not make_room(manager, *upload.groups())", "if False",
            "ui/test_server_limits.py::test_a_server_keeps_within_the_limits"),
    Promise("files unpack to little", "senses/vector_files.py",
            ") > MAX_UNPACKED:", ") > 10**12:",
            "senses/test_vector_files.py::test_an_archive_that_lies"),
    Promise("files are opened one at a time", "ui/senses.py",
            "key, slow_queue.turn(key), lambda", "key, nullcontext(), lambda",
            "ui/test_word_senses.py::"
            "test_a_file_waits_in_the_line_of_the_model_and_is_ended_if_it_takes_too_long"),
    Promise("a phone has another digest in the next hall", "hall/store.py",
            "phone = _hidden(browser, salt)", 'phone = _hidden(browser, b"")',
            "hall/test_store.py::test_a_phone_and_a_hall_have_other_names_in_the_next_hall"),
    Promise("of an address two bytes are kept", "hall/rates.py",
            ".hexdigest()[:4], 16)", ".hexdigest()[:12], 16)",
            "hall/test_rates.py::test_two_bytes_are_kept_of_a_network"),
    Promise("rows of a closed hall are overwritten", "hall/store.py",
            "PRAGMA secure_delete=ON", "PRAGMA secure_delete=OFF",
            "hall/test_store.py::test_nothing_stays_of_a_closed_hall"),
    Promise("the log of a closed hall is emptied", "hall/store.py",
            'self._read("PRAGMA wal_checkpoint(TRUNCATE)")', "pass",
            "hall/test_store.py::test_nothing_stays_of_a_closed_hall"),
    Promise("an idle hall ends", "hall/store.py",
            "if now - since > MAX_IDLE", "if False",
            "hall/test_store.py::test_an_idle_hall_ends"),
    Promise("one vote a phone", "hall/store.py",
            "INSERT OR IGNORE INTO votes", "INSERT OR REPLACE INTO votes",
            "hall/test_store.py::test_a_question_before_and_after"),
    Promise("no vote once answers are shown", "hall/store.py",
            " AND stage='nothing'", "", "hall/test_store.py::test_a_question_before_and_after"),
    Promise("a hall of 500 phones", "hall/rates.py",
            "others >= MAX_PHONES", "False", "hall/test_rates.py::test_a_full_hall"),
    Promise("guessing letters is hopeless", "hall/rates.py",
            "STEP = 0.25", "STEP = 0.01",
            "hall/test_rates.py::test_guessing_is_hopeless_and_right_codes_are_not_slowed"),
    Promise("only its lecturer leads a hall", "hall/store.py",
            'f"UPDATE halls SET {changes}, used=? WHERE code=? AND key=?"',
            'f"UPDATE halls SET {changes}, used=? WHERE code=? AND ?>\'\'"',
            "hall/test_store.py::test_only_the_lecturer_moves_a_hall"),
    Promise("an answer is one of those that were given", "ui/tour/phone.py",
            "if is_allowed(answer,", "if True or (answer,", "hall/test_notice.py"),
    Promise("errors tell a reference", "/.streamlit/config.toml",
            'showErrorDetails = "none"', 'showErrorDetails = "full"', "ui/test_settings.py"),
    # Identities with other libraries
    Promise("hidden states are those of transformers", "encoder/forward.py",
            "return partial(functional.gelu, approximate=\"tanh\")", "return functional.gelu",
            "encoder/test_forward.py::test_settings_count"),
    Promise("attention is that of transformers", "encoder/forward.py",
            "/ queries.shape[-1] ** 0.5", "/ queries.shape[-1] ** 0.51",
            "encoder/test_forward.py::test_attention_equals_the_library"),
    Promise("padding changes nothing", "encoder/forward.py",
            "else real.log().to(self._device)", "else None",
            "encoder/test_model.py::test_many_come_back_in_order_and_equal_the_single_ones"),
    Promise("input embeddings are the library's to the last bit", "embeddings/embedding_layer.py",
            "summed = word + token_type + position", "summed = word + position + token_type",
            "embeddings/test_embedding_layer.py::test_equals_the_librarys_embedding_layer"),
    Promise("tokens are those of transformers", "checkpoints/tokenizer.py",
            'strip_accents=options.get("strip_accents")', "strip_accents=False",
            "tokens/test_tokenized_text.py::test_same_ids_as_transformers"),
    Promise("neighbors are those of brute force", "neighbors/search.py",
            '"euclidean": -1}', '"euclidean": 1}',
            "neighbors/test_search.py::test_equals_brute_force"),
    Promise("sentence vectors are those of transformers", "contextual/sentence_vectors.py",
            "first[:, index] = tokens[:, 0]", "first[:, index] = tokens[:, -1]",
            "contextual/test_sentence_vectors.py::test_every_way_is_that_of_transformers"),
    Promise("a map is that of scikit-learn", "senses/projection.py",
            "centred = vectors[:, layer] - mean\n", "centred = vectors[:, layer] - 0\n",
            "senses/test_projection.py::test_shared_frame_equals_scikit_learn"),
    Promise("gradients are those of backward", "encoder/library_modules.py",
            "torch.autograd.grad(1 - cosine, tables)", "torch.autograd.grad(cosine * 2, tables)",
            "encoder/test_library_modules.py::test_gradients_equal_those_of_backward"),
    # README: the pages, their numbers, links and files
    Promise("a program prints the numbers of its view", "embeddings/embedding_layer.py",
            "scaled = centred / norm.deviation * bert.tables.layer_norm_weight",
            "scaled = centred / norm.deviation",
            "views/test_programs.py::test_the_program_prints_the_numbers_of_the_view -k shares"),
    Promise("the address holds every input", "ui/state.py",
            "\"bind\": \"query-params\"", "\"bind\": None",
            "browser/test_address.py::test_a_shared_address_restores_the_page"),
    Promise("prepared links lead to their views", "/pages/1_Tokens.py",
            "FOLLOW: \"café❤\"", "\"followed\": \"café❤\"",
            "ui/test_pages.py::test_it_opens_and_its_prepared_links_lead_to_their_views -k Tokens"),
    Promise("no link of the documents leads nowhere", "/README.md",
            "(docs/files.md)", "(docs/file.md)", "test_docs.py::test_no_link_leads_nowhere"),
    Promise("what is shared does not lead the hall", "ui/links.py",
            "query.pop(LECTURE, None)", "pass",
            "browser/test_hall.py::test_before_the_view_and_after"),
    Promise("a file of arrays says its model", "saved_files.py",
            "**{MODEL: np.array(model)", '**{MODEL: np.array("")',
            "test_saved_files.py::test_arrays_come_back_with_what_they_are"),
    Promise("a page is readable, by axe-core", "/.streamlit/config.toml",
            'textColor = "#1C2330"', 'textColor = "#9AA3B2"',
            "browser/test_every_page.py::test_a_visit[Tokens]"),
    Promise("only figures and views know Plotly", "tokens/composed.py",
            "import re\n", "import re\nimport plotly\n", "test_layers.py::test_module"),
]
# fmt: on


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--part", default="1/1", help="such as 3/10: every tenth, from the third")
    parser.add_argument("--turn", action="store_true", help="the tenth of this commit")
    asked = parser.parse_args()
    part, parts = map(int, asked.part.split("/"))
    if asked.turn:
        part, parts = turn(), 10
    broken = PROMISES[part - 1 :: parts]
    if chromium() is None:
        broken = [one for one in broken if not one.test.startswith("browser/")]
        print("Without Chromium, promises of the browser are left out.")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
        wrong = [one.says for one in broken if not is_held(one, copy)]
    print(f"{len(broken) - len(wrong)} of {len(broken)} promises are held by a test.")
    for says in wrong:
        print(f"Not held: {says}", file=sys.stderr)
    return bool(wrong)


def turn() -> int:
    """A number from 1 to 10 that the present commit gives; 1 where git knows none."""
    asked = ["git", "rev-parse", "--short=8", "HEAD"]
    try:
        commit = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):  # not a clone
        return 1
    return int(commit[:8], 16) % 10 + 1


def is_held(promise: Promise, copy: Path) -> bool:
    """Whether the test fails once the promise is broken in the copy; it is mended again."""
    path = f"bertviz_core/{promise.file}" if promise.file[0] != "/" else promise.file[1:]
    text = (ROOT / path).read_text(encoding="utf-8")
    if text.count(promise.old) != 1:
        print(f"{path} has {text.count(promise.old)} times {promise.old!r}; expected once")
        return False
    (copy / path).write_text(text.replace(promise.old, promise.new), encoding="utf-8")
    test, *more = promise.test.split(" ")
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", f"tests/{test}", *more],
        cwd=copy, env={**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    shutil.copy2(ROOT / path, copy / path)
    last = [line for line in done.stdout.splitlines() if line][-2:]
    print(f"{time.monotonic() - began:4.0f} s", promise.says, *last, sep=" | ", flush=True)
    return done.returncode == 1  # of pytest: some tests failed, and nothing else was wrong


if __name__ == "__main__":
    sys.exit(main())
