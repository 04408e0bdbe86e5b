//! What stands around a call or a statement.

/// What stands around something, inside its function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Context(u16);

impl Context {
    pub(crate) const STATEMENT: Context = Context(1);
    pub(crate) const AWAITED: Context = Context(1 << 1);
    pub(crate) const LOOP: Context = Context(1 << 2);
    pub(crate) const BRANCH: Context = Context(1 << 3);
    pub(crate) const TRY: Context = Context(1 << 4);
    pub(crate) const HANDLER: Context = Context(1 << 5);
    pub(crate) const WITH_ITEM: Context = Context(1 << 6);
    pub(crate) const LAMBDA: Context = Context(1 << 7);
    pub(crate) const RAISES: Context = Context(1 << 8);
    pub(crate) const ASSERT: Context = Context(1 << 9);

    pub(crate) fn and(self, other: Context) -> Context {
        Context(self.0 | other.0)
    }

    fn has(self, other: Context) -> bool {
        self.0 & other.0 != 0
    }

    /// It is a call that is a whole statement: nobody sees what it gives.
    pub fn is_statement(self) -> bool {
        self.has(Context::STATEMENT)
    }

    /// It is a call behind `await`.
    pub fn is_awaited(self) -> bool {
        self.has(Context::AWAITED)
    }

    /// In the condition or the message of an `assert`.
    pub fn in_assert(self) -> bool {
        self.has(Context::ASSERT)
    }

    /// In the body of a `for` or a `while`, or in a comprehension.
    pub fn in_loop(self) -> bool {
        self.has(Context::LOOP)
    }

    /// In a branch of an `if`, or a case of a `match`: it may not run.
    pub fn in_branch(self) -> bool {
        self.has(Context::BRANCH)
    }

    /// In the body of a `try`.
    pub fn in_try(self) -> bool {
        self.has(Context::TRY)
    }

    /// In an `except`.
    pub fn in_handler(self) -> bool {
        self.has(Context::HANDLER)
    }

    /// It opens a `with`.
    pub fn in_with_item(self) -> bool {
        self.has(Context::WITH_ITEM)
    }

    /// In a lambda: it runs later, or never.
    pub fn in_lambda(self) -> bool {
        self.has(Context::LAMBDA)
    }

    /// In the body of `with pytest.raises(...)`, `pytest.warns` or `self.assertRaises`.
    pub fn in_raises(self) -> bool {
        self.has(Context::RAISES)
    }
}
