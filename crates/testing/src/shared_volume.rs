//! A network volume that is mounted several times, as on several machines: the servers of SeaweedFS, all on this
//! machine and only for it, with their files in a temporary folder. They are stopped when the value is dropped.

use std::fs::{self, File};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::TestFolder;
use crate::judges;
use crate::lying_disk::LyingDisk;

/// How long a server or a mount may take to appear on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The servers and mounts of a volume.
#[derive(Debug)]
pub struct SharedVolume {
    program: PathBuf,
    filer: [u16; 2],
    /// The mounts before the servers: they are stopped in this order.
    running: Vec<(Child, Option<PathBuf>)>,
    folder: TestFolder,
}

impl SharedVolume {
    /// Starts the servers; returns none, with a message, if the program or the right to mount is missing.
    #[must_use]
    pub fn start() -> Option<SharedVolume> {
        let Some(program) = program() else {
            judges::missing("weed, the program of SeaweedFS (LANCET_SEAWEEDFS)");
            return None;
        };
        let folder = TestFolder::in_memory();
        if let Err(why) = LyingDisk::new(&[]).mount(&folder.join("tried")) {
            judges::skipped(&format!("a volume that is mounted twice: {why}"));
            return None;
        }
        let ports = free_ports();
        let [_, _, _, _, web, calls] = ports;
        let mut volume = SharedVolume {
            program,
            filer: [web, calls],
            running: Vec::new(),
            folder,
        };
        volume.serve(ports);
        Some(volume)
    }

    fn serve(&mut self, ports: [u16; 6]) {
        let data = self.folder.make("data");
        let mut server = self.command("server.log");
        server
            .args(["server", "-filer", "-master.telemetry=false"])
            .args(["-ip", "127.0.0.1", "-ip.bind", "127.0.0.1"])
            .args(["-master.volumeSizeLimitMB", "64", "-volume.max", "8"])
            .arg("-dir")
            .arg(&data)
            .arg("-filer.localSocket")
            .arg(self.folder.join("filer.sock"));
        let names = [
            "-master.port",
            "-master.port.grpc",
            "-volume.port",
            "-volume.port.grpc",
            "-filer.port",
            "-filer.port.grpc",
        ];
        for (name, port) in names.iter().zip(ports) {
            server.arg(name).arg(port.to_string());
        }
        let child = server.spawn().expect("it starts");
        self.running.push((child, None));
        for port in self.filer {
            self.wait("the servers", || {
                TcpStream::connect(("127.0.0.1", port)).is_ok()
            });
        }
    }

    /// Mounts the volume once more, as another machine would; returns the mount point.
    pub fn mount(&mut self, name: &str) -> PathBuf {
        let at = self.folder.make(name);
        let cache = self.folder.make(format!("{name}.cache"));
        let [web, calls] = self.filer;
        let mut mount = self.command(&format!("{name}.log"));
        mount
            .args(["mount", "-filer", &format!("127.0.0.1:{web}.{calls}")])
            .args(["-filer.path", "/volume", "-dir"])
            .arg(&at)
            .arg("-cacheDir")
            .arg(&cache)
            .arg("-localSocket")
            .arg(self.folder.join(format!("{name}.sock")));
        let child = mount.spawn().expect("it starts");
        self.running.push((child, Some(at.clone())));
        self.wait("a mount", || is_mounted(&at));
        at
    }

    /// Returns the command of the program, with its messages in a file and without the settings of the user who runs
    /// the tests.
    fn command(&self, log: &str) -> Command {
        let log = File::create(self.folder.join(log)).expect("a file");
        let mut command = Command::new(&self.program);
        command
            .arg("-logtostderr=true")
            .env_clear()
            .env("HOME", self.folder.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a handle"))
            .stderr(log);
        command
    }

    fn wait(&self, what: &str, is_there: impl Fn() -> bool) {
        let begun = Instant::now();
        while !is_there() {
            assert!(
                begun.elapsed() < PATIENCE,
                "{what} of SeaweedFS: {}",
                fs::read_to_string(self.folder.join("server.log")).unwrap_or_default()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for SharedVolume {
    fn drop(&mut self) {
        for (child, at) in self.running.iter_mut().rev() {
            if let Some(at) = at {
                let mut unmount = Command::new("umount");
                let _ = unmount.arg("-l").arg(at).stderr(Stdio::null()).status();
            }
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Returns the program of SeaweedFS: the one that the test command fetched, or one on the path.
fn program() -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("LANCET_SEAWEEDFS") {
        return Some(PathBuf::from(given));
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join("weed"))
        .find(|program| program.is_file())
}

/// Returns ports that no process listens on now, all different.
fn free_ports() -> [u16; 6] {
    let listeners = [(); 6].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"));
    listeners.map(|listener| listener.local_addr().expect("an address").port())
}

fn is_mounted(at: &Path) -> bool {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let at = at.to_string_lossy();
    mounts
        .lines()
        .any(|line| line.split(' ').nth(4) == Some(&at))
}
