//! Typed calls under tokio, with an approver in the same runtime. The library itself does not depend on tokio. Run it
//! with `cargo run -p lancet --example tokio`.

use std::sync::mpsc;

use lancet::approval::{Answer, Question};
use lancet::tools::{EditArguments, ReadArguments};
use lancet::{Lancet, Mode};
use tokio::sync::mpsc::unbounded_channel;

#[allow(clippy::print_stdout)]
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("greeting.txt");
    std::fs::write(&path, "hello\nworld\n")?;

    // The approver runs on a thread of the call. It sends the question to this runtime and waits there.
    let (ask, mut questions) = unbounded_channel::<(Question, mpsc::Sender<Answer>)>();
    let approver = move |question: &Question| {
        let (answer, answered) = mpsc::channel();
        let _ = ask.send((question.clone(), answer));
        answered.recv().unwrap_or(Answer::Unanswered(None))
    };
    tokio::spawn(async move {
        while let Some((question, answer)) = questions.recv().await {
            println!("may {} be changed?", question.files[0].relative.display());
            let _ = answer.send(Answer::Yes);
        }
    });

    let lancet = Lancet::builder()
        .root(folder.path())
        .mode(Mode::Ask)
        .approver(approver)
        .open()?;
    let session = lancet.new_session();
    let read = session.read_async(ReadArguments::new(&path)).await;
    println!("{}", read.text());
    // Dropping a future, as a timeout does, cancels its call.
    let edit = session.edit_async(EditArguments::new(&path, "world", "reader"));
    match tokio::time::timeout(std::time::Duration::from_secs(5), edit).await {
        Ok(reply) => println!("{}", reply.text()),
        Err(_) => println!("The call took too long and was cancelled."),
    }
    Ok(())
}
