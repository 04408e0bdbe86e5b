//! Settings as Python sees them: those that stand for this process, and those of any folder.

mod crossing;
mod root;
mod standing;
mod table;

pub(crate) use crossing::{adopt_settings, portable_settings};
pub(crate) use root::project_root;
pub(crate) use standing::{
    forget_settings, project_folder, remember_folder, renew_settings, standing, standing_quietly,
    usual_adapter, usual_timeout,
};
pub(crate) use table::{default_settings, load_settings, standing_settings};
