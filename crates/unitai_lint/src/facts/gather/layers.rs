//! The layer of each function: a marker says it, or the folder.

use unitai_model::Layer;

use crate::facts::{Def, File};

/// Says of each function which layer it belongs to.
pub(super) fn say(file: &mut File<'_>) {
    let layer_of = |file: &File<'_>, expr| file.marker(expr).and_then(|(name, _)| Layer::of_word(name));
    if let Some(layer) = file.module_marks().find_map(|expr| layer_of(file, expr)) {
        file.layer = Some(layer);
    }
    for at in 0..file.functions.len() {
        let def = Def { file, function: &file.functions[at] };
        let marked = def.markers().find_map(|(name, _)| Layer::of_word(name));
        file.functions[at].layer = marked.or(file.layer);
    }
}
