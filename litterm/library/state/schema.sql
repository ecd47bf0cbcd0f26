-- All that `<library>/state.db` stores, version 1. Times are UTC, ISO 8601 to the second; JSON is text.
-- Papers and full texts are in segments, what the user decided in the journal, what was published in the manifest.

-- Evidence matrices and trajectories of the citation agent: long runs, continued after a kill.
CREATE TABLE run (
    id TEXT PRIMARY KEY,      -- a ULID, so that ids sort by the time the run was begun
    kind TEXT NOT NULL        -- matrix | trajectory
) WITHOUT ROWID;
-- What a run has done so far, in order; the first entry is its request. A cell of a matrix is an entry.
CREATE TABLE run_entry (
    run TEXT NOT NULL REFERENCES run (id),
    number INTEGER NOT NULL,  -- from 0, without gaps
    at TEXT NOT NULL,
    kind TEXT NOT NULL,       -- asked | hypothesis | run | spent | cell | end of a matrix; asked | step | end of a trajectory
    body TEXT NOT NULL,       -- JSON, by the kind
    PRIMARY KEY (run, number)
) WITHOUT ROWID;

-- Inputs that could not be imported, until they are retried, dismissed, or the paper has come in another way.
CREATE TABLE failure (
    number INTEGER PRIMARY KEY,  -- what failed last has the highest
    origin TEXT NOT NULL UNIQUE, -- an id, an address, or a place in a file; JSON, as it may hold half a character
    at TEXT NOT NULL,
    body TEXT NOT NULL           -- JSON: cause, transient, missing
);

-- Collections that are kept synchronised, and how far each has come.
CREATE TABLE subscription (
    key TEXT PRIMARY KEY,     -- of source and scope
    body TEXT NOT NULL        -- JSON: source, scope, cursor, complete, synced_at, papers, trouble
) WITHOUT ROWID;

-- How far each imported file was read, by its content. A row counts from the generation of the manifest on with which
-- its records were published: rows of a later one were left by a killed import.
CREATE TABLE imported_file (
    sha256 TEXT NOT NULL,
    generation INTEGER NOT NULL,
    papers INTEGER NOT NULL,  -- records stored, from the start of the file
    complete INTEGER NOT NULL,
    origin TEXT NOT NULL,     -- JSON
    PRIMARY KEY (sha256, generation)
) WITHOUT ROWID;

-- What the workbench restores at its next start, and which drafts were decided about.
CREATE TABLE session (
    name TEXT PRIMARY KEY,    -- session | project | drafts; projects/KEY of another project than the default one
    body TEXT NOT NULL        -- JSON
) WITHOUT ROWID;
