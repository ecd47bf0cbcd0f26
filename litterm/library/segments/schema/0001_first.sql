-- A segment: papers and full texts that never change after publication. Statements end with ";" at a line's end.

-- Fetched by `row` alone. What is only ever read back as a whole stands in `record` as JSON: 20 rows from six
-- segments took 20 ms with a column a field and 4 ms like this; the key makes it a look-up instead of a scan.
CREATE TABLE paper (
    row INTEGER PRIMARY KEY,   -- from 0, the same number as in the index
    id VARCHAR,                -- `scheme:key`
    title VARCHAR,
    abstract VARCHAR,          -- empty where unknown
    record VARCHAR,            -- every other field of the noun `Paper`
    title_hash UBIGINT,        -- of title key and numerals; 0 for a title without letters
    names VARCHAR              -- one author a line, every folded word between blanks
);

-- Ids and aliases. Sorted by `bare`, so that a look-up reads one row group.
CREATE TABLE alias (
    bare VARCHAR,              -- without its scheme, case folded
    id VARCHAR,
    row INTEGER
);

-- Words of authors' names. Sorted by `word`, for the same reason; `names` says which of them are one person's.
CREATE TABLE name (
    word VARCHAR,              -- folded
    row INTEGER
);

-- Full texts. They belong to a paper by its id and stay where they are when the paper's row is replaced.
CREATE TABLE document (
    doc INTEGER PRIMARY KEY,   -- from 0
    id VARCHAR,                -- hash of the text and the parser's version
    paper VARCHAR,             -- id of the paper when it was stored
    origin VARCHAR,            -- `jats`, `pdf`, ...
    text VARCHAR,
    references_known BOOLEAN,  -- false: the source had no reference list at all
    licence VARCHAR,
    located INTEGER,           -- sentences whose page is known
    stored VARCHAR             -- sorts by when it came in; of two of one origin the later is served
);

CREATE TABLE section (
    doc INTEGER,
    number_in_text INTEGER,    -- from 0
    title VARCHAR,
    number VARCHAR,            -- as printed
    level INTEGER,             -- 1 for a top section
    kind VARCHAR
);

CREATE TABLE sentence (
    doc INTEGER,
    number_in_text INTEGER,    -- from 0 over all rows of the document
    first INTEGER,             -- half-open range of characters of document.text
    past INTEGER,
    text VARCHAR,              -- only where it differs from that range
    kind VARCHAR,
    section INTEGER,
    paragraph INTEGER,         -- from 1; 0 for headings and the title
    position INTEGER,          -- from 1 within the paragraph
    page INTEGER               -- from 1; null where not known
);

CREATE TABLE cells (
    doc INTEGER,
    number_in_text INTEGER,    -- of the table, from 0
    label VARCHAR,
    caption VARCHAR,
    rows VARCHAR[][],
    first_sentence INTEGER     -- the sentence that is its first row
);

CREATE TABLE reference (
    doc INTEGER,
    number_in_text INTEGER,    -- from 0
    text VARCHAR,
    label VARCHAR,
    title VARCHAR,
    families VARCHAR[],
    year INTEGER,
    ids VARCHAR[],             -- as the source states them
    target VARCHAR             -- library paper it was resolved to; null while unresolved
);

CREATE TABLE context (
    doc INTEGER,
    number_in_text INTEGER,    -- from 0
    reference INTEGER,
    sentence INTEGER,
    first INTEGER,             -- the citation mark, half-open, in document.text
    past INTEGER
);

-- Papers that are one work under two ids (`version`), or might be (`doubtful`).
CREATE TABLE link (
    one VARCHAR,
    other VARCHAR,
    kind VARCHAR
);
