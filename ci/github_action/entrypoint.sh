#!/usr/bin/env bash
# The two steps of the action that run something: `install` and `test`.
#
# What a workflow says comes as variables (INPUT_*) and is used as data: it is checked, or split into words by Python; no
# shell ever reads it. What tests print goes to the log and nowhere else: the runner takes no commands meanwhile.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
python="$(command -v python || command -v python3)" || {
  echo "::error title=UnitAI::Python was not found. Say which one to set up: python-version"
  exit 2
}
# macOS brings a bash that knows no empty lists: each is spread by ${list[@]+"${list[@]}"}.

# Ends the step with a message, which is no command itself.
fail() {
  local text="$1"
  text="${text//'%'/%25}"
  text="${text//$'\r'/%0D}"
  text="${text//$'\n'/%0A}"
  printf '::error title=UnitAI::%s\n' "$text"
  exit 2
}

# Fills the list `words` with those of a text, split as a shell would, with nothing expanded and nothing run.
split() {
  local name="$1" text="$2" word list
  list="$(mktemp)"
  "$python" -I -c 'import os, shlex, sys
sys.stdout.buffer.write(b"".join(os.fsencode(word) + b"\0" for word in shlex.split(sys.argv[1])))' \
    "$text" >"$list" 2>/dev/null || fail "$name cannot be split into words, because a quote is not closed: $text"
  words=()
  while IFS= read -r -d '' word; do
    words+=("$word")
  done <"$list"
  rm -f "$list"
}

# Runs something whose output is foreign: a test may print what looks like a command of the runner, because a model said
# so. Nobody who does not know the mark can make the runner listen again.
unheeded() {
  local code=0 mark
  mark="$("$python" -I -c 'import secrets; print(secrets.token_hex(16))')"
  printf '::stop-commands::%s\n' "$mark"
  "$@" || code=$?
  # What was printed last may have no end of its line.
  printf '\n::%s::\n' "$mark"
  return "$code"
}

install() {
  local needs=() words=()
  if [[ "$INPUT_VERSION" != installed ]]; then
    [[ "$INPUT_VERSION" =~ ^[0-9A-Za-z.]*$ ]] || fail "version is no version, as 0.1.0 is one: $INPUT_VERSION"
    [[ "$INPUT_EXTRAS" =~ ^[0-9A-Za-z,_-]*$ ]] || fail "extras are no names, separated by commas: $INPUT_EXTRAS"
    needs+=("unitai${INPUT_EXTRAS:+[$INPUT_EXTRAS]}${INPUT_VERSION:+==$INPUT_VERSION}" pytest)
  fi
  split install "$INPUT_INSTALL"
  needs+=(${words[@]+"${words[@]}"})
  if [[ ${#needs[@]} -gt 0 ]]; then
    unheeded "$python" -m pip install --disable-pip-version-check "${needs[@]}"
  fi
  command -v unitai >/dev/null || fail "unitai is not installed: leave the input \`version\` out, or install it before"
}

# The command without the files by which a step speaks to later ones. The job summary is left to it.
unitai_alone() {
  env -u GITHUB_ENV -u GITHUB_PATH -u GITHUB_OUTPUT -u GITHUB_STATE unitai "$@"
}

run_tests() {
  local options=() words=() code=0 results file files
  if [[ -n "$INPUT_BUDGET" ]]; then
    [[ "$INPUT_BUDGET" =~ ^[0-9]+(\.[0-9]+)?$ ]] || fail "budget is no number of dollars, as 5.00 is one: $INPUT_BUDGET"
    options+=("--budget=$INPUT_BUDGET")
  fi
  [[ -z "$INPUT_MODEL_OVERRIDE" ]] || options+=("--model=$INPUT_MODEL_OVERRIDE")
  [[ "$INPUT_FAIL_FAST" == true ]] || options+=(--keep-going)
  # It is deleted before the run, so it must be what it says.
  if [[ ! "$INPUT_JUNIT_XML" =~ ^[^/[:cntrl:]][^[:cntrl:]]*\.xml$ || "/$INPUT_JUNIT_XML/" == */../* ]]; then
    fail "junit-xml is no path of an .xml file within the project: $INPUT_JUNIT_XML"
  fi
  split extra-args "$INPUT_EXTRA_ARGS"
  options+=(${words[@]+"${words[@]}"})

  results="$(mktemp)"
  # What an earlier step left would be taken for ours.
  rm -f -- "$INPUT_JUNIT_XML" test-results/unitai.html
  unheeded unitai_alone test ${options[@]+"${options[@]}"} || code=$?
  # With another code there may have been no run, and the last one would be an older one.
  if [[ "$code" -le 1 ]]; then
    unitai_alone results --json >"$results" 2>/dev/null || true
  fi
  unitai_alone report >/dev/null 2>&1 || true

  files=()
  for file in "$INPUT_JUNIT_XML" test-results/unitai.html; do
    # From the folder of the project to that of the workflow, which artifacts are looked for from.
    [[ ! -f "$file" ]] || files+=("$("$python" -I -c 'import os, sys; print(os.path.abspath(sys.argv[1]))' "$file")")
  done
  "$python" -I "$here/outputs.py" "$results" "$INPUT_JUNIT_XML" ${files[@]+"${files[@]}"} >>"$GITHUB_OUTPUT"
  rm -f "$results"
  exit "$code"
}

case "${1-}" in
  install) install ;;
  test) run_tests ;;
  *) fail "the script is called with install or test" ;;
esac
