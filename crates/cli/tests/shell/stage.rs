//! The fixture of the tests here: a folder, an empty home folder and the program.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lancet_testing::TestFolder;
use lancet_testing::folder::put;
use serde_json::Value;

/// The program under test.
pub(crate) const LANCET: &str = env!("CARGO_BIN_EXE_lancet");

/// A place to run the program in.
pub(crate) struct Stage {
    folder: TestFolder,
    variables: Vec<(String, String)>,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Stage {
    /// Returns a new stage: `project` to work in, `home` empty.
    pub(crate) fn new() -> Self {
        let folder = TestFolder::new();
        for name in ["project", "home"] {
            folder.make(name);
        }
        Self {
            folder,
            variables: Vec::new(),
        }
    }

    /// Returns the folder that the program runs in.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// Returns the empty home.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// Sets a variable of the environment.
    pub(crate) fn with(mut self, name: &str, value: impl AsRef<Path>) -> Self {
        let value = value.as_ref().to_str().expect("UTF-8").to_owned();
        self.variables.push((name.to_owned(), value));
        self
    }

    /// Puts a person's token into the state folder and into the environment: commands that approve something are
    /// allowed.
    pub(crate) fn with_token(self) -> Self {
        let token = "a-token-for-tests-of-a-person-00";
        let file = put(
            &self.home().join(".local/state/lancet/person-token"),
            format!("{token}\n"),
        );
        let own = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(file, own).expect("set");
        self.with("LANCET_TOKEN", token)
    }

    /// Makes a file in the project, with its folders.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        put(&self.project().join(name), text)
    }

    /// Writes the settings file of the user; returns its path.
    pub(crate) fn user_settings(&self, text: &str) -> PathBuf {
        put(&self.home().join(".config/lancet/lancet.toml"), text)
    }

    /// Returns the content of a file of the project.
    pub(crate) fn text(&self, name: &str) -> String {
        self.folder.text(Path::new("project").join(name))
    }

    /// Makes a command in the project, without a terminal and without the tester's own environment.
    pub(crate) fn command(&self, program: &str) -> Command {
        // A new session has no terminal, even if the tests are run from one.
        let mut command = Command::new("setsid");
        command.args(["--wait", program]);
        self.set_surroundings(&mut command);
        command
    }

    /// Makes a command of the program without the superuser's rights, if the superuser runs the tests, so that
    /// permissions apply.
    pub(crate) fn unprivileged(&self) -> Command {
        if !rustix::process::geteuid().is_root() {
            return self.command(LANCET);
        }
        let mut command = self.command("setpriv");
        command.args(["--bounding-set=-all", "--inh-caps=-all", LANCET]);
        command
    }

    /// Sets the folder and the environment of a command.
    pub(crate) fn set_surroundings(&self, command: &mut Command) {
        command
            .env_clear()
            .current_dir(self.project())
            .env("HOME", self.home());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
    }

    /// Runs the program.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, "")
    }

    /// Runs the program with text on standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &str) -> Run {
        let mut command = self.command(LANCET);
        command.args(arguments);
        finish(command, input.as_bytes())
    }

    /// Runs the program and reads its one JSON object.
    pub(crate) fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let run = self.run(arguments);
        assert_eq!(
            run.out.lines().count(),
            1,
            "one object on one line: {run:?}"
        );
        (run.code, serde_json::from_str(&run.out).expect("JSON"))
    }
}

/// Runs a command to its end.
pub(crate) fn finish(mut command: Command, input: &[u8]) -> Run {
    command
        // A pipe would be searched by `lancet grep`.
        .stdin(match input.is_empty() {
            true => Stdio::null(),
            false => Stdio::piped(),
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input closes it early.
        let _ = stdin.write_all(input);
    }
    let output = child.wait_with_output().expect("it ends");
    Run {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Returns a path as an argument.
pub(crate) fn path_argument(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}
