BEGIN TRANSACTION;
CREATE TABLE answers (
    "case"       TEXT NOT NULL REFERENCES cases,
    explainer    TEXT NOT NULL REFERENCES explainers,
    variant      TEXT NOT NULL,
    sample       INTEGER NOT NULL,
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
    PRIMARY KEY ("case", explainer, variant, sample)
) STRICT;
INSERT INTO "answers" VALUES('4fa0d348fe7cf761','first','plain',0,'2026-11-30T11:23:34.040+00:00',1,2,'{"explanation": "always the first valid answer", "answer": "left"}','','stop',0.0,0,NULL,NULL,'{}','fail',0.0,'Q(left) = 28/51 is less than the best, Q(up) = 14/17','left','["up"]','{"V":"14/17","Q":{"left":"28/51","down":"28/51","right":"28/51","up":"14/17"},"A*":["up"]}','14/51',NULL,'always the first valid answer');
INSERT INTO "answers" VALUES('4fa0d348fe7cf761','oracle','plain',0,'2026-11-30T11:23:34.041+00:00',1,2,'{"explanation": "the model checker''s own answer", "answer": "up"}','','stop',0.0,0,NULL,NULL,'{}','pass',1.0,'Q(up) = 14/17 is the best','up','["up"]','{"V":"14/17","Q":{"left":"28/51","down":"28/51","right":"28/51","up":"14/17"},"A*":["up"]}','0',NULL,'the model checker''s own answer');
INSERT INTO "answers" VALUES('4eb8bd6dea9fdc58','first','plain',0,'2026-11-30T11:23:34.041+00:00',1,3,'{"explanation": "always the first valid answer", "answer": "left"}','','stop',0.0,0,NULL,NULL,'{}','pass',1.0,'Q(left) = 14/17 is the best','left','["left"]','{"V":"14/17","Q":{"left":"14/17","down":"28/51","right":"28/51","up":"28/51"},"A*":["left"]}','0',NULL,'always the first valid answer');
INSERT INTO "answers" VALUES('4eb8bd6dea9fdc58','oracle','plain',0,'2026-11-30T11:23:34.046+00:00',1,3,'{"explanation": "the model checker''s own answer", "answer": "left"}','','stop',0.0,0,NULL,NULL,'{}','pass',1.0,'Q(left) = 14/17 is the best','left','["left"]','{"V":"14/17","Q":{"left":"14/17","down":"28/51","right":"28/51","up":"28/51"},"A*":["left"]}','0',NULL,'the model checker''s own answer');
INSERT INTO "answers" VALUES('c786a492c38c0639','first','plain',0,'2026-11-30T11:23:34.047+00:00',1,4,'{"explanation": "always the first valid answer", "answer": "0"}','','stop',0.0,0,NULL,NULL,'{}','fail',4.70588235294117640528e-01,'answered 0, V = 9/17 ≈ 0.5294: not within 0.01','0','["9/17"]','{"V":"9/17","tolerance":"1/100"}',NULL,NULL,'always the first valid answer');
INSERT INTO "answers" VALUES('c786a492c38c0639','oracle','plain',0,'2026-11-30T11:23:34.047+00:00',1,4,'{"explanation": "the model checker''s own answer", "answer": "9/17"}','','stop',0.0,0,NULL,NULL,'{}','pass',1.0,'answered 9/17, V = 9/17 ≈ 0.5294: within 0.01','9/17','["9/17"]','{"V":"9/17","tolerance":"1/100"}',NULL,NULL,'the model checker''s own answer');
INSERT INTO "answers" VALUES('a0c3b37953a273ce','first','plain',0,'2026-11-30T11:23:34.048+00:00',1,5,'{"explanation": "always the first valid answer", "answer": "0"}','','stop',0.0,0,NULL,NULL,'{}','fail',2.35294117647058820264e-01,'answered 0, V = 13/17 ≈ 0.7647: not within 0.01','0','["13/17"]','{"V":"13/17","tolerance":"1/100"}',NULL,NULL,'always the first valid answer');
INSERT INTO "answers" VALUES('a0c3b37953a273ce','oracle','plain',0,'2026-11-30T11:23:34.048+00:00',1,5,'{"explanation": "the model checker''s own answer", "answer": "13/17"}','','stop',0.0,0,NULL,NULL,'{}','pass',1.0,'answered 13/17, V = 13/17 ≈ 0.7647: within 0.01','13/17','["13/17"]','{"V":"13/17","tolerance":"1/100"}',NULL,NULL,'the model checker''s own answer');
CREATE TABLE cases (
    id         TEXT PRIMARY KEY,
    model      TEXT NOT NULL REFERENCES models,
    category   TEXT NOT NULL,
    states     TEXT NOT NULL,            -- JSON list
    space      TEXT NOT NULL,            -- JSON object with its kind
    accepted   TEXT NOT NULL,            -- JSON list
    numbers    TEXT NOT NULL,            -- JSON object
    difficulty REAL,
    parts      TEXT NOT NULL             -- JSON object
) STRICT;
INSERT INTO "cases" VALUES('4fa0d348fe7cf761','frozen_lake','best-action','[9]','{"kind":"OneOf","options":["left","down","right","up"]}','["up"]','{"V":"14/17","Q":{"left":"28/51","down":"28/51","right":"28/51","up":"14/17"},"A*":["up"]}',0.75,'{"size of A*":1.0,"actions":4.0}');
INSERT INTO "cases" VALUES('4eb8bd6dea9fdc58','frozen_lake','best-action','[1]','{"kind":"OneOf","options":["left","down","right","up"]}','["left"]','{"V":"14/17","Q":{"left":"14/17","down":"28/51","right":"28/51","up":"28/51"},"A*":["left"]}',0.75,'{"size of A*":1.0,"actions":4.0}');
INSERT INTO "cases" VALUES('c786a492c38c0639','frozen_lake','satisfy','[8]','{"kind":"Probability"}','["9/17"]','{"V":"9/17","tolerance":"1/100"}',0.941176471,'{"V":0.529411765}');
INSERT INTO "cases" VALUES('a0c3b37953a273ce','frozen_lake','satisfy','[11]','{"kind":"Probability"}','["13/17"]','{"V":"13/17","tolerance":"1/100"}',0.470588235,'{"V":0.764705882}');
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
CREATE TABLE explainers (
    name     TEXT PRIMARY KEY,
    baseline INTEGER NOT NULL
) STRICT;
INSERT INTO "explainers" VALUES('first',1);
INSERT INTO "explainers" VALUES('oracle',1);
CREATE TABLE models (
    name        TEXT PRIMARY KEY,
    identity    TEXT NOT NULL UNIQUE,    -- of the oracle: a changed model cannot be mixed in
    environment TEXT NOT NULL,
    title       TEXT NOT NULL,
    objective   TEXT NOT NULL,
    danger      TEXT,
    constants   TEXT NOT NULL,           -- JSON object
    exact       INTEGER NOT NULL,
    states      INTEGER NOT NULL
) STRICT;
INSERT INTO "models" VALUES('frozen_lake','1e8159a4d3f7bc2256faa21046f3a7ec','frozen_lake','Frozen Lake','Pmax=? [F "goal"]','Pmin=? [F "unsafe"]','{"map":"4","slip":"1/3"}',1,16);
CREATE TABLE runs (
    id      INTEGER PRIMARY KEY,
    started TEXT NOT NULL,               -- UTC, ISO 8601
    version TEXT NOT NULL,               -- of stormscope
    plan    TEXT NOT NULL,               -- JSON
    total   INTEGER NOT NULL,            -- questions of the plan
    done    INTEGER NOT NULL,            -- of these, answered when the run began, then when it ended
    ended   TEXT                         -- null while it runs, and for good if it was killed
) STRICT;
INSERT INTO "runs" VALUES(1,'2026-11-30T11:23:34.010+00:00','0.1.0','{"models":["frozen_lake"],"explainers":["first","oracle"],"categories":["best-action","satisfy"],"strategies":["prioritized"],"variants":[],"budget":2,"samples":1,"seed":0,"concurrency":4,"subset_size":4,"explanation_length":200}',8,8,'2026-11-30T11:23:34.051+00:00');
CREATE TABLE selected (
    selection INTEGER NOT NULL REFERENCES selections,
    position  INTEGER NOT NULL,
    "case"    TEXT NOT NULL REFERENCES cases,
    PRIMARY KEY (selection, position)
) STRICT, WITHOUT ROWID;
INSERT INTO "selected" VALUES(1,1,'4eb8bd6dea9fdc58');
INSERT INTO "selected" VALUES(1,0,'4fa0d348fe7cf761');
INSERT INTO "selected" VALUES(2,1,'a0c3b37953a273ce');
INSERT INTO "selected" VALUES(2,0,'c786a492c38c0639');
CREATE TABLE selections (
    id       INTEGER PRIMARY KEY,
    model    TEXT NOT NULL REFERENCES models,
    category TEXT NOT NULL,
    strategy TEXT NOT NULL,
    budget   INTEGER NOT NULL,
    omitted  TEXT,                       -- why there is no candidate
    UNIQUE (model, category, strategy, budget)
) STRICT;
INSERT INTO "selections" VALUES(1,'frozen_lake','best-action','prioritized',2,NULL);
INSERT INTO "selections" VALUES(2,'frozen_lake','satisfy','prioritized',2,NULL);
CREATE TABLE texts (
    id   INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    text TEXT NOT NULL
) STRICT;
INSERT INTO "texts" VALUES(1,X'F2922A35E831815A6956BF88F4310EDF26CAFA2B0BAF0DCBE2B07C230CA886DC','You answer questions about decisions under uncertainty. Reply with one JSON object and nothing else.');
INSERT INTO "texts" VALUES(2,X'B8683693A5F50ECBB71DE80BC1D6FC6059FB44ABA83BCEE53DA28E4649D90FFC','You cross a frozen lake of 4 × 4 tiles. Rows are numbered from 1 at the top, columns from 1 at the left. The map (S start, F frozen, H hole, G goal):
SFFF
FHFH
FFFH
HFFG
The start is at row 1, column 1, the goal at row 4, column 4. The holes are at row 2, column 2; row 2, column 4; row 3, column 4; row 4, column 1.
The actions are left, down, right and up; each moves you by one tile. The ice is slippery: with probability 1/3 you move in the direction that you choose, and with probability 1/3 each you move in one of the two directions at right angles to it (for left and right these are up and down, for up and down they are left and right). A move that would leave the map keeps you where you are. On a hole and on the goal the crossing is over: you stay there for ever, and "stay" is the only action.

Objective: choose actions such that the probability of reaching the goal tile is as high as possible.

State: you are on the tile at row 1, column 4. Available actions: left, down, right, up.

Question: Which action is optimal in this state, that is, gives the highest value? Compare the actions by the probability of reaching the goal tile if the action is taken once, now, and every later action is chosen optimally.

Reply with a JSON object with two fields: "explanation", your reason in at most 200 characters, and "answer", one of: left, down, right, up.');
INSERT INTO "texts" VALUES(3,X'E80B705191384A0CB5C1F45C17D55883F12A14D07FDBF3D0EB3118EC38FDE17F','You cross a frozen lake of 4 × 4 tiles. Rows are numbered from 1 at the top, columns from 1 at the left. The map (S start, F frozen, H hole, G goal):
SFFF
FHFH
FFFH
HFFG
The start is at row 1, column 1, the goal at row 4, column 4. The holes are at row 2, column 2; row 2, column 4; row 3, column 4; row 4, column 1.
The actions are left, down, right and up; each moves you by one tile. The ice is slippery: with probability 1/3 you move in the direction that you choose, and with probability 1/3 each you move in one of the two directions at right angles to it (for left and right these are up and down, for up and down they are left and right). A move that would leave the map keeps you where you are. On a hole and on the goal the crossing is over: you stay there for ever, and "stay" is the only action.

Objective: choose actions such that the probability of reaching the goal tile is as high as possible.

State: you are on the tile at row 2, column 1. Available actions: left, down, right, up.

Question: Which action is optimal in this state, that is, gives the highest value? Compare the actions by the probability of reaching the goal tile if the action is taken once, now, and every later action is chosen optimally.

Reply with a JSON object with two fields: "explanation", your reason in at most 200 characters, and "answer", one of: left, down, right, up.');
INSERT INTO "texts" VALUES(4,X'29FCD542521DC053FDFE21DD54B8B6F14C389955E6C624C33878E81D2DC17823','You cross a frozen lake of 4 × 4 tiles. Rows are numbered from 1 at the top, columns from 1 at the left. The map (S start, F frozen, H hole, G goal):
SFFF
FHFH
FFFH
HFFG
The start is at row 1, column 1, the goal at row 4, column 4. The holes are at row 2, column 2; row 2, column 4; row 3, column 4; row 4, column 1.
The actions are left, down, right and up; each moves you by one tile. The ice is slippery: with probability 1/3 you move in the direction that you choose, and with probability 1/3 each you move in one of the two directions at right angles to it (for left and right these are up and down, for up and down they are left and right). A move that would leave the map keeps you where you are. On a hole and on the goal the crossing is over: you stay there for ever, and "stay" is the only action.

Objective: choose actions such that the probability of reaching the goal tile is as high as possible.

State: you are on the tile at row 2, column 3. Available actions: left, down, right, up.

Question: Starting in this state and choosing every action optimally, what is the probability of reaching the goal tile? An answer counts as right if it is within 0.01 of the true probability.

Reply with a JSON object with two fields: "explanation", your reason in at most 200 characters, and "answer", a number between 0 and 1.');
INSERT INTO "texts" VALUES(5,X'9034199FFB00B9985DE8BB38481A86B474F54D78EF8CE2DBC200041335C40455','You cross a frozen lake of 4 × 4 tiles. Rows are numbered from 1 at the top, columns from 1 at the left. The map (S start, F frozen, H hole, G goal):
SFFF
FHFH
FFFH
HFFG
The start is at row 1, column 1, the goal at row 4, column 4. The holes are at row 2, column 2; row 2, column 4; row 3, column 4; row 4, column 1.
The actions are left, down, right and up; each moves you by one tile. The ice is slippery: with probability 1/3 you move in the direction that you choose, and with probability 1/3 each you move in one of the two directions at right angles to it (for left and right these are up and down, for up and down they are left and right). A move that would leave the map keeps you where you are. On a hole and on the goal the crossing is over: you stay there for ever, and "stay" is the only action.

Objective: choose actions such that the probability of reaching the goal tile is as high as possible.

State: you are on the tile at row 3, column 3. Available actions: left, down, right, up.

Question: Starting in this state and choosing every action optimally, what is the probability of reaching the goal tile? An answer counts as right if it is within 0.01 of the true probability.

Reply with a JSON object with two fields: "explanation", your reason in at most 200 characters, and "answer", a number between 0 and 1.');
CREATE INDEX selected_case ON selected ("case");
CREATE INDEX answers_explainer ON answers (explainer);
CREATE INDEX errors_question ON errors ("case", explainer, variant, sample);
COMMIT;