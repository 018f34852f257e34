"""What the store says to SQLite, beside one-line statements."""

from __future__ import annotations

SELECT_STRATEGIES = (
    'SELECT "case", strategy FROM selected JOIN selections ON selections.id = selection '
    'GROUP BY "case", strategy ORDER BY min(selection)'
)
SELECT_SELECTED = 'SELECT c.* FROM selected s JOIN cases c ON c.id = s."case" WHERE s.selection = ? ORDER BY s.position'
PAID = """
    CASE WHEN json_valid(details) THEN json_extract(details, '$.currency') END AS currency,
    CASE WHEN json_valid(details) THEN json_extract(details, '$.cached') END AS cached
"""
"""What an answer's details say of its cost: its currency, and whether it came from the cache of earlier campaigns."""
SELECT_OUTCOMES = f"""
SELECT "case", explainer, variant, sample, outcome, score, answer, seconds, tokens_in, tokens_out,
    tokens_reasoning, cost, regret, invalid_kind, shown, {PAID} FROM answers
UNION ALL
SELECT "case", explainer, variant, sample, 'error', NULL, NULL, sum(seconds), NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL
FROM errors e
WHERE NOT EXISTS (
    SELECT 1 FROM answers a
    WHERE (a."case", a.explainer, a.variant, a.sample) = (e."case", e.explainer, e.variant, e.sample)
)
GROUP BY "case", explainer, variant, sample
"""  # noqa: S608 - a constant of this program
SELECT_FAILED = (
    'SELECT "case", variant, sample, fatal FROM errors WHERE id IN '
    '(SELECT max(id) FROM errors WHERE explainer = ? GROUP BY "case", variant, sample)'
)
INSERT_MODEL = (
    "INSERT INTO models VALUES "
    "(:name, :identity, :environment, :title, :objective, :danger, :constants, :exact, :states, :synonyms)"
)
SELECT_MODELS = (
    "SELECT m.*, s.value AS made_from FROM models m "
    "LEFT JOIN settings s ON s.name = 'model ' || m.name ORDER BY m.rowid"
)
INSERT_MADE_FROM = "INSERT OR IGNORE INTO settings VALUES ('model ' || ?, ?)"
INSERT_ANSWER = "INSERT OR IGNORE INTO answers VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
UPDATE_VERDICT = (
    "UPDATE answers SET outcome = ?, score = ?, reason = ?, answer = ?, accepted = ?, numbers = ?, regret = ?, "
    'invalid_kind = ?, explanation = ? WHERE ("case", explainer, variant, sample) = (?, ?, ?, ?)'
)
INSERT_ERROR = (
    'INSERT INTO errors ("case", explainer, variant, sample, failed, error, fatal, seconds, attempts, text, details) '
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
SELECT_ANSWERS = (
    "SELECT a.rowid AS row, a.*, s.text AS system_text, u.text AS user_text FROM answers a "
    "JOIN texts s ON s.id = a.system JOIN texts u ON u.id = a.user "
    'WHERE (:explainer IS NULL OR a.explainer = :explainer) AND (:case IS NULL OR a."case" = :case) '
    "AND a.rowid > :last ORDER BY a.rowid LIMIT :portion"
)
