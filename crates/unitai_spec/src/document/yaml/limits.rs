//! How much one file may hold, with its aliases filled in and its included files beside it. A file of a few lines can
//! stand for billions of nodes, so what it stands for is counted before anything is built.

/// The longest text of one file, in bytes.
pub(crate) const LONGEST_TEXT: usize = 1_000_000;
/// How deep nodes may nest.
pub(super) const MOST_LEVELS: usize = 64;
/// How many nodes there may be once aliases are filled in.
const MOST_NODES: usize = 10_000;
/// How many bytes of text all scalars may have once aliases are filled in: one long text may be referred to often.
const MOST_BYTES: usize = 4 * LONGEST_TEXT;

/// How many files may include one another in a row.
const MOST_INCLUDERS: usize = 16;
/// What a file costs beside its text.
const FILE_WEIGHT: usize = 1000;
/// What a node costs beside its text, and what all tests of one file may cost together.
const NODE_WEIGHT: usize = 64;
const MOST_WEIGHT: usize = 32 * LONGEST_TEXT;

/// What a node holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Measure {
    /// Nodes, itself included.
    pub(crate) nodes: usize,
    /// Bytes of text.
    pub(crate) bytes: usize,
    /// Levels, its own included.
    pub(super) levels: usize,
}

/// What may still come.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    nodes: usize,
    bytes: usize,
    files: usize,
    is_spent: bool,
}

impl Budget {
    /// The whole of it.
    pub(crate) fn new() -> Budget {
        Budget { nodes: MOST_NODES, bytes: MOST_BYTES, files: MOST_BYTES, is_spent: false }
    }

    /// Whether something was refused. What else is too much is then not worth telling.
    pub(crate) fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// Takes what one more node or alias stands for, at this depth.
    pub(super) fn take(&mut self, measure: Measure, depth: usize) -> Result<(), String> {
        if depth + measure.levels > MOST_LEVELS {
            return Err(format!("this nests deeper than {MOST_LEVELS} levels"));
        }
        match (self.nodes.checked_sub(measure.nodes), self.bytes.checked_sub(measure.bytes)) {
            (None, _) => self.refuse(format!("this makes more than {MOST_NODES} nodes, aliases filled in")),
            (_, None) => {
                self.refuse(format!("this makes more than {MOST_BYTES} bytes of text, aliases filled in"))
            }
            (Some(nodes), Some(bytes)) => {
                (self.nodes, self.bytes) = (nodes, bytes);
                Ok(())
            }
        }
    }

    /// Takes the text of one more file, so many files away from the test's own. An empty one costs something too.
    pub(crate) fn take_file(&mut self, bytes: usize, includers: usize) -> Result<(), String> {
        if includers > MOST_INCLUDERS {
            return self.refuse(format!("more than {MOST_INCLUDERS} files include one another"));
        }
        if bytes > LONGEST_TEXT {
            return Err(format!("the file has {bytes} bytes, and at most {LONGEST_TEXT} are read"));
        }
        match self.files.checked_sub(bytes + FILE_WEIGHT) {
            None => self.refuse("all files that this includes are too much together".to_owned()),
            Some(files) => {
                self.files = files;
                Ok(())
            }
        }
    }

    fn refuse(&mut self, message: String) -> Result<(), String> {
        self.is_spent = true;
        Err(message)
    }

    /// Whether all that was taken, rows aside, may be there so many times: each row of cases is a test of its own.
    pub(crate) fn repeats(&self, times: usize, rows: Measure) -> Result<(), String> {
        let bytes = (MOST_BYTES - self.bytes).saturating_sub(rows.bytes);
        let nodes = (MOST_NODES - self.nodes).saturating_sub(rows.nodes);
        let weight = bytes + NODE_WEIGHT * nodes;
        if weight.saturating_mul(times) <= MOST_WEIGHT {
            return Ok(());
        }
        Err(format!("{times} rows of a test of this size are too much together"))
    }
}
