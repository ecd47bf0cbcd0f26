-- All that `<library>/state.db` stores, version 1. Times are UTC, ISO 8601 to the second; JSON is text.
-- Papers and full texts are in segments, what the user decided in the journal, what was published in the manifest.

-- Evidence matrices, tables of columns and trajectories of the citation agent: long runs, continued after a kill.
CREATE TABLE run (
    id TEXT PRIMARY KEY,      -- a ULID, so that ids sort by the time the run was begun
    kind TEXT NOT NULL        -- matrix | trajectory | columns
) WITHOUT ROWID;
-- What a run has done so far, in order; the first entry is its request. A cell of a matrix is an entry.
CREATE TABLE run_entry (
    run TEXT NOT NULL REFERENCES run (id),
    number INTEGER NOT NULL,  -- from 0, without gaps
    at TEXT NOT NULL,
    kind TEXT NOT NULL,       -- asked | hypothesis | run | spent | cell | end of a matrix; with column for
                              -- hypothesis of a table of columns; asked | step | end of a trajectory
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

-- How far each imported file was read, by its content. The manifest names the last publication that counts: rows of a
-- later one were left by a killed import.
CREATE TABLE imported_file (
    sha256 TEXT NOT NULL,
    publication TEXT NOT NULL, -- a ULID: these sort by time
    papers INTEGER NOT NULL,   -- records stored, from the start of the file
    complete INTEGER NOT NULL, -- 0 | 1
    origin TEXT NOT NULL,      -- JSON
    PRIMARY KEY (sha256, publication)
) WITHOUT ROWID;

-- What the workbench restores at its next start, which drafts were decided about, and how the files of watched folders
-- were when they were last imported.
CREATE TABLE session (
    name TEXT PRIMARY KEY,    -- session | project | drafts; projects/KEY, the session of another project; folders/KEY,
                              -- texts/KIND/PAPER, what was typed and is not saved
    body TEXT NOT NULL        -- JSON
) WITHOUT ROWID;

-- Who cites whom, resolved from full texts and from services' lists; can be made again.
CREATE TABLE citation_paper (
    number INTEGER PRIMARY KEY,  -- names the paper in the tables below
    id TEXT NOT NULL UNIQUE
);
-- Resolved lists: what a paper cites, or what cites it.
CREATE TABLE citation_list (
    number INTEGER PRIMARY KEY,
    paper INTEGER NOT NULL REFERENCES citation_paper,  -- whose list it is
    kind INTEGER NOT NULL,      -- source and direction: a place in LIST_KINDS of litterm/citations/store.py
    key TEXT NOT NULL,          -- differs when the list does: id of the document, or of a service's answer
    year INTEGER,               -- of the paper
    known INTEGER NOT NULL,     -- 0 where the text has no reference list, only mentions
    segments INTEGER NOT NULL REFERENCES citation_segments,
    UNIQUE (paper, kind)
);
-- Edges of the lists. A pair stands once for each kind of list that says so; no paper cites itself.
CREATE TABLE citation (
    cited INTEGER NOT NULL REFERENCES citation_paper,
    citing INTEGER NOT NULL REFERENCES citation_paper,
    kind INTEGER NOT NULL,      -- of the list, which is the citing paper's own or, of citations, the cited paper's
    place INTEGER NOT NULL,     -- in the list
    marks INTEGER NOT NULL,     -- places of the citing text that cite it; 0 where only the list is known
    year INTEGER,               -- of the citing paper
    entries,                    -- which entries of the list mean it: a number, or several as JSON
    PRIMARY KEY (cited, citing, kind)
) WITHOUT ROWID;
CREATE INDEX citation_of_citing ON citation (citing, kind, place);
-- Citing sentences of a list: deflated lines of JSON.
CREATE TABLE citing_sentences (list INTEGER PRIMARY KEY REFERENCES citation_list, sentences BLOB NOT NULL);
-- Hashes of what a new paper must bear to change how a list is resolved: 32 bits each, little-endian, ascending.
CREATE TABLE citation_wanted (list INTEGER PRIMARY KEY REFERENCES citation_list, hashes BLOB NOT NULL);
-- Sets of segments that lists were resolved against.
CREATE TABLE citation_segments (
    number INTEGER PRIMARY KEY,
    keys TEXT NOT NULL UNIQUE   -- JSON, sorted
);
-- Names that stand right before the marks of a paper in the user's full texts; can be made again. These three tables
-- came later than the others: libraries without them get them when lists are first written.
CREATE TABLE IF NOT EXISTS citation_name (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL,          -- folded words of the name, by which it is looked up
    name TEXT NOT NULL,         -- as it is written
    cited INTEGER NOT NULL REFERENCES citation_paper,
    texts INTEGER NOT NULL,     -- how many texts hold it before a mark of that paper
    stated INTEGER NOT NULL,    -- 1 where the title or abstract of the paper introduces it
    UNIQUE (key, name, cited)
);
CREATE INDEX IF NOT EXISTS citation_name_of_paper ON citation_name (cited);
-- Which of them the text of a list holds.
CREATE TABLE IF NOT EXISTS citation_name_use (
    list INTEGER NOT NULL REFERENCES citation_list,
    name INTEGER NOT NULL REFERENCES citation_name,
    PRIMARY KEY (list, name)
) WITHOUT ROWID;
-- The lists in whose texts names were looked for.
CREATE TABLE IF NOT EXISTS citation_name_list (list INTEGER PRIMARY KEY REFERENCES citation_list);
-- settled: the segments with which every list was up to date; unread: lists still to be read; lists, counts: how often
-- each was written; names: the rule by which names were looked for, and the value of `lists` when that was done.
CREATE TABLE citation_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- How often each service counts a paper as cited; its newest answer.
CREATE TABLE citation_count (
    paper INTEGER NOT NULL REFERENCES citation_paper,
    service TEXT NOT NULL,
    day TEXT NOT NULL,
    count INTEGER,              -- NULL: the service does not know the paper
    by_year TEXT NOT NULL,      -- JSON: [[year, count], ...]
    PRIMARY KEY (paper, service)
) WITHOUT ROWID;
