//! An agent that calls its server's tools in any order and starts a new server when the old one was killed.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::Choices;
use crate::book::{Book, Ending, Trace, Undoable};
use crate::project::{END, Project, SHARED};
use crate::server::{Server, Slot};

/// Refusals for servers that change the same files at the same time. Any other refusal is a fault.
const EXPECTED: [&str; 8] = [
    "stale",
    "not_found",
    "conflict",
    "busy",
    "missing",
    "exists",
    "not_read",
    "ambiguous",
];

/// An agent whose session continues in its next server.
pub(crate) struct Agent<'p> {
    project: &'p Project,
    slot: &'p Slot,
    number: usize,
    choices: Choices,
    book: Book,
}

/// The server was killed.
struct Killed;

type Step = Result<(), Killed>;

impl<'p> Agent<'p> {
    pub(crate) fn new(
        project: &'p Project,
        slot: &'p Slot,
        number: usize,
        choices: Choices,
    ) -> Agent<'p> {
        Agent {
            project,
            slot,
            number,
            choices,
            book: Book::default(),
        }
    }

    /// Works until it is over.
    pub(crate) fn work(mut self, is_over: &AtomicBool) -> Book {
        let session = format!("agent-{}", self.number);
        while !is_over.load(Ordering::Relaxed) {
            let Some(mut server) = Server::start(self.project, self.slot, &session) else {
                continue;
            };
            let mut step = Ok(());
            while step.is_ok() && !is_over.load(Ordering::Relaxed) {
                step = self.step(&mut server);
            }
            // Half of the remaining servers end by themselves, the others are killed.
            if step.is_ok() && self.number.is_multiple_of(2) {
                server.close();
            }
        }
        self.book
    }

    fn step(&mut self, server: &mut Server<'_>) -> Step {
        match self.choices.below(14) {
            0 | 1 => self.add_line(server),
            2 | 3 => self.change_pair(server, "MultiEdit"),
            4 => self.change_pair(server, "ApplyPatch"),
            5 | 6 => self.write_new(server),
            7 => self.write_over(server),
            8 => self.add_cell(server),
            9 => self.move_file(server),
            10 => self.delete_file(server),
            11 => self.undo(server),
            12 => self.redo(),
            _ => self.search(server),
        }
    }

    /// Calls a tool and counts its result.
    fn call(&mut self, server: &mut Server<'_>, tool: &str, arguments: Value) -> Option<Value> {
        let answer = server.call(tool, arguments);
        let Some(answer) = answer else {
            self.book.count(tool, "killed");
            return None;
        };
        let text = answer["content"][0]["text"].as_str().unwrap_or_default();
        if text.contains("was interrupted while it changed") {
            self.book.told += 1;
        }
        if answer["isError"] == true {
            let error = &answer["_meta"]["lancet/result"]["error"]["name"];
            let error = error.as_str().unwrap_or("an error without a name");
            if !EXPECTED.contains(&error) {
                self.book.faults.push(format!("{tool}: {error}: {text}"));
            }
            self.book.count(tool, error);
        } else {
            self.book.count(tool, "done");
        }
        Some(answer)
    }

    /// Calls a tool that changes something.
    fn change(&mut self, server: &mut Server<'_>, tool: &str, arguments: Value) -> Ending {
        let Some(answer) = self.call(server, tool, arguments) else {
            return Ending::Unknown;
        };
        if answer["isError"] == true {
            return Ending::Refused;
        }
        let operation = answer["_meta"]["lancet/result"]["operation"].as_str();
        let Some(operation) = operation else {
            self.book
                .faults
                .push(format!("{tool}: no operation in {answer}"));
            return Ending::Refused;
        };
        self.book.operations.push(operation.to_owned());
        Ending::Done(operation.to_owned())
    }

    fn end(&mut self, token: &str, new: Trace, ending: &Ending) -> Step {
        self.book.note(token, new, ending);
        match ending {
            Ending::Unknown => Err(Killed),
            _ => Ok(()),
        }
    }

    fn token(&self) -> String {
        format!("token-{}-{}-", self.number, self.book.tokens.len())
    }

    /// Reads a file; the text of the answer.
    fn read(&mut self, server: &mut Server<'_>, path: &Path) -> Result<String, Killed> {
        let arguments = json!({ "file_path": path, "force": true });
        let answer = self.call(server, "Read", arguments).ok_or(Killed)?;
        let text = answer["content"][0]["text"].as_str();
        Ok(text.unwrap_or_default().to_owned())
    }

    fn add_line(&mut self, server: &mut Server<'_>) -> Step {
        let path = self.project.list(self.choices.below(SHARED));
        self.read(server, &path)?;
        let token = self.token();
        let edit = json!({ "file_path": path, "old_string": END, "new_string": format!("{token}\n{END}") });
        let ending = self.change(server, "Edit", edit);
        self.end(&token, Trace::Lines(vec![path]), &ending)
    }

    fn change_pair(&mut self, server: &mut Server<'_>, tool: &str) -> Step {
        let pair = self.project.pair(self.choices.below(SHARED));
        let text = self.read(server, &pair[0])?;
        self.read(server, &pair[1])?;
        let number = text.split_once("number ").map(|(_, after)| after);
        let number = number.and_then(|after| after.lines().next()?.parse::<u64>().ok());
        let Some(number) = number else {
            self.book.faults.push(format!("no number in {text}"));
            return Ok(());
        };
        let token = self.token();
        let next = number + 1;
        let arguments = if tool == "MultiEdit" {
            let edits = pair.iter().flat_map(|path| {
                [
                    json!({ "file_path": path, "old_string": format!("number {number}\n"), "new_string": format!("number {next}\n") }),
                    json!({ "file_path": path, "old_string": END, "new_string": format!("{token}\n{END}") }),
                ]
            });
            json!({ "edits": edits.collect::<Vec<_>>() })
        } else {
            let files = pair.iter().map(|path| {
                let path = path.display();
                format!("*** Update File: {path}\n@@\n-number {number}\n+number {next}\n@@\n+{token}\n {END}")
            });
            let files: String = files.collect();
            json!({ "patch": format!("*** Begin Patch\n{files}*** End Patch\n") })
        };
        let ending = self.change(server, tool, arguments);
        self.end(&token, Trace::Lines(pair.to_vec()), &ending)
    }

    /// Returns a name in folders that other agents also make and remove.
    fn new_name(&mut self, token: &str) -> PathBuf {
        let mut path = self.project.root().join("new");
        for _ in 0..=self.choices.below(4) {
            path.push(self.choices.below(3).to_string());
        }
        path.join(format!("{token}.txt"))
    }

    fn write_new(&mut self, server: &mut Server<'_>) -> Step {
        let token = self.token();
        let path = self.new_name(&token);
        let write = json!({ "file_path": path, "content": token });
        let ending = self.change(server, "Write", write);
        self.end(&token, Trace::File(path), &ending)
    }

    fn write_over(&mut self, server: &mut Server<'_>) -> Step {
        let path = self.project.whole(self.choices.below(SHARED));
        self.read(server, &path)?;
        let number = self.book.operations.len();
        let content = format!("written by agent {} after {number} changes\n", self.number);
        match self.change(
            server,
            "Write",
            json!({ "file_path": path, "content": content }),
        ) {
            Ending::Unknown => Err(Killed),
            _ => Ok(()),
        }
    }

    fn add_cell(&mut self, server: &mut Server<'_>) -> Step {
        let path = self.project.notebook(self.choices.below(SHARED));
        self.read(server, &path)?;
        let token = self.token();
        let cell = json!({ "notebook_path": path, "cell_id": "top", "edit_mode": "insert", "cell_type": "markdown", "new_source": token });
        let ending = self.change(server, "NotebookEdit", cell);
        self.end(&token, Trace::Lines(vec![path]), &ending)
    }

    /// Returns one of the files that this agent has made and that certainly exist.
    fn own_file(&mut self) -> Option<(String, PathBuf)> {
        let certain = |(token, traces): (&String, &Vec<Trace>)| match traces.as_slice() {
            [Trace::File(path)] => Some((token.clone(), path.clone())),
            _ => None,
        };
        let files: Vec<_> = self.book.tokens.iter().filter_map(certain).collect();
        let at = self.choices.below(files.len().max(1));
        files.into_iter().nth(at)
    }

    fn move_file(&mut self, server: &mut Server<'_>) -> Step {
        let Some((token, from)) = self.own_file() else {
            return Ok(());
        };
        let to = self.new_name(&token);
        if to == from {
            return Ok(());
        }
        let ending = self.change(
            server,
            "MoveFile",
            json!({ "from_path": from, "to_path": to }),
        );
        self.end(&token, Trace::File(to), &ending)
    }

    fn delete_file(&mut self, server: &mut Server<'_>) -> Step {
        let Some((token, path)) = self.own_file() else {
            return Ok(());
        };
        let ending = self.change(server, "DeleteFile", json!({ "file_path": path }));
        self.end(&token, Trace::Nowhere, &ending)
    }

    fn undo(&mut self, server: &mut Server<'_>) -> Step {
        // The newest one is the likeliest to have files without later changes.
        let Some(Undoable {
            token,
            operation,
            back,
        }) = self.book.undoable.pop()
        else {
            return Ok(());
        };
        let now = self.book.certain(&token).cloned();
        let ending = self.change(server, "Undo", json!({ "operation": operation }));
        let step = self.end(&token, back, &ending);
        self.book.undoable.retain(|one| one.token != token);
        if let (Ending::Done(operation), Some(back)) = (ending, now) {
            self.book.redoable.push(Undoable {
                token,
                operation,
                back,
            });
        }
        step
    }

    /// Redoes an undo at the shell, whose process is not killed.
    fn redo(&mut self) -> Step {
        let Some(Undoable {
            token,
            operation,
            back,
        }) = self.book.redoable.pop()
        else {
            return Ok(());
        };
        let run = self.project.run(&["redo", &operation, "--yes", "--json"]);
        let answer: Value = serde_json::from_slice(&run.stdout).unwrap_or_default();
        let done = answer["operation"]
            .as_str()
            .filter(|_| run.status.success());
        let error = answer["error"]["name"]
            .as_str()
            .unwrap_or("an error without a name");
        self.book.count("redo", done.map_or(error, |_| "done"));
        match done {
            Some(done) => {
                self.book.operations.push(done.to_owned());
                self.end(&token, back, &Ending::Done(done.to_owned()))
            }
            None if EXPECTED.contains(&error) => Ok(()),
            None => {
                let said = String::from_utf8_lossy(&run.stderr).into_owned();
                self.book.faults.push(format!("redo: {answer} {said}"));
                Ok(())
            }
        }
    }

    fn search(&mut self, server: &mut Server<'_>) -> Step {
        let root = self.project.root();
        let (tool, arguments) = match self.choices.below(2) {
            0 => (
                "Grep",
                json!({ "pattern": "token", "path": root, "output_mode": "files_with_matches" }),
            ),
            _ => ("Glob", json!({ "pattern": "**/*", "path": root })),
        };
        let answer = self.call(server, tool, arguments).ok_or(Killed)?;
        let text = answer["content"][0]["text"].as_str().unwrap_or_default();
        if text.contains(".lancet-") {
            self.book
                .faults
                .push(format!("{tool} shows a temporary file: {text}"));
        }
        Ok(())
    }
}
