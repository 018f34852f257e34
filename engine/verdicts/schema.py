"""The tables of a campaign file."""

from __future__ import annotations

APPLICATION_ID = 0x53746F72
"""Marks an SQLite file as a campaign (the bytes ``Stor``)."""

VERSION = 3
"""The version of the tables, kept as SQLite's ``user_version``. Columns that came with it stand last in their tables,
where `engine.verdicts.migration` adds them to older files."""

TABLES = """
CREATE TABLE runs (
    id      INTEGER PRIMARY KEY,
    started TEXT NOT NULL,               -- UTC, ISO 8601
    version TEXT NOT NULL,               -- of stormscope
    plan    TEXT NOT NULL,               -- JSON
    total   INTEGER NOT NULL,            -- questions of the plan
    done    INTEGER NOT NULL,            -- of these, answered when the run began, then when it ended
    ended   TEXT                         -- null while it runs, and for good if it was killed
) STRICT;

CREATE TABLE models (
    name        TEXT PRIMARY KEY,
    identity    TEXT NOT NULL UNIQUE,    -- of the oracle: a changed model cannot be mixed in
    environment TEXT NOT NULL,
    title       TEXT NOT NULL,
    objective   TEXT NOT NULL,
    danger      TEXT,
    constants   TEXT NOT NULL,           -- JSON object
    exact       INTEGER NOT NULL,
    states      INTEGER NOT NULL,
    synonyms    TEXT                     -- JSON object: for reading answers again without the model; null if unknown
) STRICT;

CREATE TABLE explainers (
    name     TEXT PRIMARY KEY,
    baseline INTEGER NOT NULL
) STRICT;

-- What endpoints were found to do, before a run.
CREATE TABLE probes (
    id        INTEGER PRIMARY KEY,
    explainer TEXT NOT NULL,
    probed    TEXT NOT NULL,             -- UTC, ISO 8601
    result    TEXT NOT NULL              -- JSON object
) STRICT;

-- Settings of the whole file that can change after its runs, such as the tolerance that its answers are graded with;
-- "model NAME" is what a model was made from (JSON object).
CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE cases (
    id         TEXT PRIMARY KEY,
    model      TEXT NOT NULL REFERENCES models,
    category   TEXT NOT NULL,
    states     TEXT NOT NULL,            -- JSON list
    space      TEXT NOT NULL,            -- JSON object with its kind
    accepted   TEXT NOT NULL,            -- JSON list
    numbers    TEXT NOT NULL,            -- JSON object
    difficulty REAL,
    parts      TEXT NOT NULL,            -- JSON object
    parameters TEXT NOT NULL DEFAULT '{}' -- JSON object: what the question is about beside states
) STRICT;

-- Cases chosen for one (model, category, strategy) at one budget; another budget adds to the file, it replaces nothing.
CREATE TABLE selections (
    id       INTEGER PRIMARY KEY,
    model    TEXT NOT NULL REFERENCES models,
    category TEXT NOT NULL,
    strategy TEXT NOT NULL,
    budget   INTEGER NOT NULL,
    omitted  TEXT,                       -- why there is no candidate
    UNIQUE (model, category, strategy, budget)
) STRICT;

CREATE TABLE selected (
    selection INTEGER NOT NULL REFERENCES selections,
    position  INTEGER NOT NULL,
    "case"    TEXT NOT NULL REFERENCES cases,
    PRIMARY KEY (selection, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX selected_case ON selected ("case");

-- Prompts, each text once.
CREATE TABLE texts (
    id   INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    text TEXT NOT NULL
) STRICT;

-- One row a question that was answered. The key is why nothing is ever answered twice.
CREATE TABLE answers (
    "case"       TEXT NOT NULL REFERENCES cases,
    explainer    TEXT NOT NULL REFERENCES explainers,
    variant      TEXT NOT NULL,
    sample       INTEGER NOT NULL,       -- below 0: kept by hand, beside the plans (engine.verdicts.by_hand)
    answered     TEXT NOT NULL,          -- UTC, ISO 8601
    system       INTEGER NOT NULL REFERENCES texts,
    user         INTEGER NOT NULL REFERENCES texts,
    text         TEXT NOT NULL,          -- the reply as it came; the verdict's columns can be made again from it
    reasoning    TEXT NOT NULL,
    finish       TEXT NOT NULL,
    seconds      REAL NOT NULL,
    attempts     INTEGER NOT NULL,
    tokens_in    INTEGER,
    tokens_out   INTEGER,
    details      TEXT NOT NULL,          -- JSON object
    outcome      TEXT NOT NULL CHECK (outcome IN ('pass', 'fail', 'invalid', 'undecided')),
    score        REAL CHECK ((score IS NULL) = (outcome = 'undecided')),
    reason       TEXT NOT NULL,
    answer       TEXT,
    accepted     TEXT NOT NULL,          -- JSON list
    numbers      TEXT NOT NULL,          -- JSON object
    regret       TEXT,
    invalid_kind TEXT,
    explanation  TEXT NOT NULL,
    tokens_reasoning INTEGER,
    cost         TEXT,                   -- exact decimal text
    shown        TEXT,                   -- JSON list: the options in the order in which they were shown, if shuffled
    PRIMARY KEY ("case", explainer, variant, sample)
) STRICT;
CREATE INDEX answers_explainer ON answers (explainer);

-- Questions that ended without an answer. They count as unanswered.
CREATE TABLE errors (
    id        INTEGER PRIMARY KEY,
    "case"    TEXT NOT NULL REFERENCES cases,
    explainer TEXT NOT NULL REFERENCES explainers,
    variant   TEXT NOT NULL,
    sample    INTEGER NOT NULL,
    failed    TEXT NOT NULL,             -- UTC, ISO 8601
    error     TEXT NOT NULL,
    fatal     INTEGER NOT NULL,
    seconds   REAL NOT NULL,
    attempts  INTEGER NOT NULL,
    text      TEXT NOT NULL,             -- what came back before it went wrong
    details   TEXT NOT NULL              -- JSON object
) STRICT;
CREATE INDEX errors_question ON errors ("case", explainer, variant, sample);
"""
