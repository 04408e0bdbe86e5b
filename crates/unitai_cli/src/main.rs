//! The `unitai` command as a program of its own, for machines and pipelines without Python.

fn main() {
    let args = std::env::args_os().skip(1).collect();
    std::process::exit(unitai_cli::run(args, "python3"));
}
