//! Functions and classes, and what they are for.

use ruff_python_ast as ast;
use ruff_python_ast::visitor::Visitor;

use super::{Gather, Marks};
use crate::facts::{Class, ClassId, Context, Decorator, FileRole, Function, FunctionId, Role};

impl<'a> Gather<'a> {
    pub(super) fn function(&mut self, node: &'a ast::StmtFunctionDef) {
        for decorator in &node.decorator_list {
            self.visit_decorator(decorator);
        }
        self.visit_parameters(&node.parameters);
        if let Some(returns) = &node.returns {
            self.visit_annotation(returns);
        }
        let id = self.file.functions.len() as FunctionId;
        let class = self.class.filter(|_| self.is_in_class_body);
        let role = self.role(node, class);
        self.file.functions.push(Function {
            id,
            node,
            owner: self.function,
            class,
            role,
            layer: None,
            from: Marks::default(),
            to: Marks::default(),
        });
        let from = self.marks();
        let before = (self.function, self.is_in_class_body, self.context);
        (self.function, self.is_in_class_body, self.context) = (Some(id), false, Context::default());
        self.visit_body(&node.body);
        (self.function, self.is_in_class_body, self.context) = before;
        let to = self.marks();
        let function = &mut self.file.functions[id as usize];
        (function.from, function.to) = (from, to);
    }

    fn role(&self, node: &'a ast::StmtFunctionDef, class: Option<ClassId>) -> Role {
        let is_fixture = node.decorator_list.iter().any(|decorator| {
            let name = Decorator::new(decorator, self.file.source).name;
            self.file.qualified(name).is_any(&["pytest.fixture", "pytest_asyncio.fixture"])
        });
        if is_fixture {
            return Role::Fixture;
        }
        let is_top = self.function.is_none() && class.is_none();
        let is_method = class.is_some_and(|class| self.is_suite(class));
        let is_collected = self.file.role != FileRole::Conftest && node.name.starts_with("test");
        if is_collected && (is_top || is_method) { Role::Test } else { Role::Other }
    }

    /// Whether a class holds tests: its own, or those that others inherit.
    fn is_suite(&self, class: ClassId) -> bool {
        let is_meant = |name: &str| name.contains("Test") || name.contains("Contract");
        let class = &self.file.classes[class as usize];
        class.owner.is_none() && (is_meant(class.name()) || class.bases(self.file.source).any(is_meant))
    }

    pub(super) fn class(&mut self, node: &'a ast::StmtClassDef) {
        for decorator in &node.decorator_list {
            self.visit_decorator(decorator);
        }
        if let Some(arguments) = &node.arguments {
            self.visit_arguments(arguments);
        }
        let id = self.file.classes.len() as ClassId;
        let from = self.marks();
        let class =
            Class { id, node, owner: self.function, class: self.class, pytestmark: None, from, to: from };
        self.file.classes.push(class);
        let before = (self.class, self.is_in_class_body);
        (self.class, self.is_in_class_body) = (Some(id), true);
        self.visit_body(&node.body);
        (self.class, self.is_in_class_body) = before;
        self.file.classes[id as usize].to = self.marks();
    }
}
