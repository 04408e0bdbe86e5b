//! How fast a text without secrets passes: `cargo run --release -p unitai_wire --example redact_speed`.

use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

use unitai_wire::redact::Secrets;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout();
    let start = Instant::now();
    black_box(Secrets::none().clean("ghp_"));
    writeln!(out, "forms compiled in {:?}", start.elapsed())?;
    let start = Instant::now();
    let variables = (0..10).map(|n| {
        let value = format!("{n}Zm4vKx8qLw2nRt6yBc0hJd5gPs9fAe3uTi7oMk1z{}", n * 7919);
        (format!("SERVICE_{n}_TOKEN"), format!("sk-proj-{value}"))
    });
    let secrets = Secrets::of_environment(variables);
    writeln!(out, "ten variables learned in {:?}", start.elapsed())?;
    let message = r#"{"role":"user","content":"Please look the order up, and say \"when\" it comes.\nIt was sent on 3 May to https://shop.example.com/orders/123456."},"#;
    let text: String = message.repeat(14);
    let start = Instant::now();
    black_box(secrets.clean(&text));
    writeln!(out, "the first text: {:?}", start.elapsed())?;
    for (who, secrets) in [("ten variables", secrets), ("none", Secrets::none())] {
        let rounds = 20_000;
        let start = Instant::now();
        for _ in 0..rounds {
            black_box(secrets.clean(black_box(&text)));
        }
        let nanoseconds = start.elapsed().as_secs_f64() * 1e9 / f64::from(rounds);
        let each = nanoseconds / text.len() as f64;
        writeln!(out, "{who}: {} bytes in {nanoseconds:.0} ns, {each:.2} ns a byte", text.len())?;
    }
    Ok(())
}
