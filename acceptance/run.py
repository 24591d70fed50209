#!/usr/bin/env python3
"""Runs the acceptance cases against a lancet binary, over MCP on stdio. Python 3.11, no packages.

    run.py BINARY [CASES.json | DIR ...] [--only WORD] [--jobs N] [--verbose]

Each case starts a fresh server on a fresh folder, N cases at a time. Exit status 0 when all hold; the last line is
'N passed, N failed'.
README.md beside this file describes the format.
"""
import json, os, re, shutil, stat, subprocess, sys, tempfile, threading, time
from concurrent.futures import ThreadPoolExecutor

MODE = "accept-edits"


class Failed(Exception):
    pass


class Client:
    def __init__(self, argv, env):
        self.p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        self.n, self.err, self.answers, self.last = 0, [], [], {}
        threading.Thread(target=lambda: self.err.extend(l.decode("utf-8", "replace") for l in self.p.stderr), daemon=True).start()

    def send(self, m):
        self.p.stdin.write(json.dumps(m, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
        self.p.stdin.flush()

    def request(self, method, params, wait=60):
        self.n += 1
        me = self.n
        self.send({"jsonrpc": "2.0", "id": me, "method": method, "params": params})
        end = time.time() + wait
        while True:
            timer = threading.Timer(max(0.1, end - time.time()), self.p.kill)
            timer.start()
            line = self.p.stdout.readline()
            timer.cancel()
            if not line:
                raise Failed("server ended or gave no answer in %d s: %s" % (wait, "".join(self.err[-5:])[-600:]))
            m = json.loads(line)
            if m.get("id") == me and "method" not in m:
                return m
            if "method" in m and "id" in m:      # the server asks: answer an approval from the case's list
                fields = ((m.get("params") or {}).get("requestedSchema") or {}).get("properties") or {}
                if fields and "decision" not in fields:       # words after a no: the last answer's reason
                    said = (self.last.get("content") or {}).get("reason") if isinstance(self.last.get("content"), dict) else None
                    a = {"action": "accept", "content": {k: said for k in fields}} if said else {"action": "decline"}
                else:
                    a = self.last = self.answers.pop(0) if self.answers else {"action": "decline"}
                self.send({"jsonrpc": "2.0", "id": m["id"], "result": a})

    def start(self, caps, me=None):
        r = self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": caps,
                                        "clientInfo": me or {"name": "acceptance", "version": "1"}})
        if "error" in r:
            raise Failed("initialize: %s" % r["error"])
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, name, args):
        return self.request("tools/call", {"name": name, "arguments": args})

    def close(self):
        try:
            self.p.stdin.close()
            self.p.wait(10)
        except Exception:
            self.p.kill()
            self.p.wait()


def to_bytes(v):
    if isinstance(v, str):
        return v.encode("utf-8")
    if "bytes" in v:                            # one character per byte
        return v["bytes"].encode("latin-1")
    if "text" in v:
        return v["text"].encode(v.get("encoding", "utf-8"))
    if "repeat" in v:                           # [template, count], {i} is the line's number from 1
        t, n = v["repeat"]
        return "".join(t.replace("{i}", str(i)) for i in range(1, n + 1)).encode(v.get("encoding", "utf-8"))
    if "join" in v:
        return b"".join(to_bytes(x) for x in v["join"])
    raise ValueError(v)


def put(root, name, v):
    p = os.path.join(root, name)
    os.makedirs(os.path.dirname(p), exist_ok=True)
    if isinstance(v, dict) and "link" in v:
        os.symlink(v["link"].replace("$ROOT", root), p)
    elif isinstance(v, dict) and "hardlink" in v:
        os.link(os.path.join(root, v["hardlink"]), p)
    elif isinstance(v, dict) and "fifo" in v:
        os.mkfifo(p)
    elif isinstance(v, dict) and "dir" in v:
        os.makedirs(p, exist_ok=True)
    else:
        with open(p, "wb") as f:
            f.write(to_bytes(v))
        if isinstance(v, dict) and "mode" in v:
            os.chmod(p, int(v["mode"], 8))


def subst(x, root):
    if isinstance(x, str):
        return x.replace("$ROOT", root)
    if isinstance(x, list):
        return [subst(y, root) for y in x]
    if isinstance(x, dict):
        return {k: subst(v, root) for k, v in x.items()}
    return x


def absolute(args, root):
    out = subst(args, root)
    for k in ("file_path", "notebook_path", "path", "from_path", "to_path"):
        if isinstance(out.get(k), str) and out[k] and not out[k].startswith(("/", "~", "\\")):
            out[k] = os.path.join(root, out[k])
    if isinstance(out.get("edits"), list):
        out["edits"] = [absolute(e, root) if isinstance(e, dict) else e for e in out["edits"]]
    return out


def within(want, got, where):
    """Every key that 'want' names is in 'got' with that value; a string that starts with ~ is a regular expression, for a list of which one entry
    (as JSON where it is no string) must match; with !~ none may."""
    if isinstance(want, dict):
        if not isinstance(got, dict):
            raise Failed("%s: wanted an object, got %r" % (where, got))
        for k, v in want.items():
            within(v, got.get(k), where + "." + k)
    elif isinstance(want, str) and (want.startswith("!~") or want.startswith("~") and isinstance(got, list)):
        some = [x for x in (got or []) if re.search(want.lstrip("!~"), x if isinstance(x, str) else json.dumps(x), re.S)]
        if bool(some) == want.startswith("!"):
            raise Failed("%s: %r %s %r" % (where, got, "has" if some else "lacks", want.lstrip("!~")))
    elif isinstance(want, str) and want.startswith("~"):
        if not isinstance(got, str) or not re.search(want[1:], got, re.S):
            raise Failed("%s: %r does not match %r" % (where, got, want[1:]))
    elif want != got:
        raise Failed("%s: wanted %r, got %r" % (where, want, got))


def check_answer(step, m):
    where = "%s" % step["call"]
    if "error" in m:
        if step.get("rpc_error"):
            return
        raise Failed("%s: protocol error %s" % (where, m["error"]))
    r = m["result"]
    text = "\n".join(b.get("text", "<%s>" % b.get("type")) for b in r.get("content", []))
    data = (r.get("_meta") or {}).get("lancet/result") or {}
    bad = bool(r.get("isError"))
    if "error" in step:
        if not bad:
            raise Failed("%s: wanted error %s, but it succeeded: %s" % (where, step["error"], text[:300]))
        e = data.get("error") or {}
        wanted = step["error"] if isinstance(step["error"], list) else [step["error"]]
        if wanted != ["any"] and e.get("code") not in wanted and e.get("name") not in wanted:
            raise Failed("%s: wanted error %s, got %s: %s" % (where, wanted, e, text[:300]))
    elif step.get("ok", True) is True and bad:
        raise Failed("%s: failed: %s" % (where, text[:600]))
    for p in step.get("says", []):
        if not re.search(p, text, re.S):
            raise Failed("%s: answer lacks %r: %s" % (where, p, text[:600]))
    for p in step.get("says_not", []):
        if re.search(p, text, re.S):
            raise Failed("%s: answer should not have %r: %s" % (where, p, text[:600]))
    if "types" in step:
        got = [b.get("type") for b in r.get("content", [])]
        for t in step["types"]:
            if t not in got:
                raise Failed("%s: no %s block, only %s" % (where, t, got))
    if "max_chars" in step and len(text) > step["max_chars"]:
        raise Failed("%s: answer of %d characters, at most %d" % (where, len(text), step["max_chars"]))
    if "data" in step:
        within(step["data"], data, where)


def run_disk(step, root):
    for name, v in step["disk"].items():
        p = os.path.join(root, name)
        if v is None:
            os.remove(p)
        elif v == "touch":
            os.utime(p, ns=(time.time_ns() + 5_000_000_000,) * 2)
        elif isinstance(v, dict) and "keep_mtime" in v:        # same size and mtime, other content
            st = os.stat(p)
            with open(p, "r+b") as f:
                f.write(to_bytes(v["keep_mtime"]))
            os.utime(p, ns=(st.st_atime_ns, st.st_mtime_ns))
        elif isinstance(v, dict) and "replace" in v:           # rename-over, as editors do
            with open(p + ".ed", "wb") as f:
                f.write(to_bytes(v["replace"]))
            os.rename(p + ".ed", p)
        else:
            if os.path.islink(p) or os.path.exists(p):
                with open(p, "wb") as f:
                    f.write(to_bytes(v))
            else:
                put(root, name, v)


def run_case(binary, case):
    base = os.path.realpath(tempfile.mkdtemp(prefix="lancet-acc-"))
    root = os.path.join(base, "root")
    os.makedirs(root)
    home = os.path.join(base, "home")
    os.makedirs(home)
    env = {**os.environ, "HOME": home, "XDG_STATE_HOME": home + "/state", "XDG_CONFIG_HOME": home + "/config", "XDG_CACHE_HOME": home + "/cache"}
    client = None
    try:
        for name, v in case.get("files", {}).items():
            put(root, name, v)
        for name, v in case.get("outside", {}).items():
            put(base, name, v)
        argv = [binary, "mcp", "--root", root, "--state-dir", os.path.join(base, "state")]
        argv += ["--mode", case.get("mode", MODE)]
        if "config" in case:
            c = os.path.join(base, "config.toml")
            with open(c, "w") as f:
                f.write(subst(case["config"], root))
            argv += ["--config", c]
        argv += subst(case.get("args", []), root)
        caps = {}
        if "approvals" in case:
            argv += ["--ask", "elicit"]
            caps = {"elicitation": {}}

        def start():
            k = Client(argv, env)
            k.answers = list(case.get("approvals", []))
            k.start(caps, case.get("client"))
            return k

        client = start()
        before = {}
        for i, step in enumerate(case["steps"]):
            try:
                if "call" in step:
                    check_answer(step, client.call(step["call"], absolute(step.get("args", {}), root)))
                elif "disk" in step:
                    run_disk(step, root)
                elif "restart" in step:
                    client.close()
                    client = start()
                elif "remember" in step:
                    for n in step["remember"]:
                        st = os.lstat(os.path.join(root, n))
                        before[n] = (st.st_mtime_ns, st.st_ino)
                elif "untouched" in step:
                    for n in step["untouched"]:
                        st = os.lstat(os.path.join(root, n))
                        if before[n] != (st.st_mtime_ns, st.st_ino):
                            raise Failed("%s was written" % n)
            except Failed as e:
                raise Failed("step %d: %s" % (i + 1, e))
        client.close()
        for name, v in case.get("after", {}).items():
            p = os.path.join(root, name)
            if v is None:
                if os.path.lexists(p):
                    raise Failed("%s should not exist" % name)
                continue
            if isinstance(v, dict) and "link" in v:
                if not os.path.islink(p) or os.readlink(p) != v["link"].replace("$ROOT", root):
                    raise Failed("%s is no longer that link" % name)
                continue
            if not os.path.exists(p):
                raise Failed("%s is missing" % name)
            got, want = open(p, "rb").read(), to_bytes(v)
            if got != want:
                raise Failed("%s: wanted %r, got %r" % (name, want[:300], got[:300]))
            if isinstance(v, dict) and "mode" in v and stat.S_IMODE(os.stat(p).st_mode) != int(v["mode"], 8):
                raise Failed("%s: mode %o" % (name, stat.S_IMODE(os.stat(p).st_mode)))
            if isinstance(v, dict) and "links" in v and os.stat(p).st_nlink != v["links"]:
                raise Failed("%s: %d hard links" % (name, os.stat(p).st_nlink))
        for name, v in case.get("outside_after", {}).items():
            p = os.path.join(base, name)
            got = open(p, "rb").read() if os.path.exists(p) else None
            if got != (None if v is None else to_bytes(v)):
                raise Failed("outside %s: got %r" % (name, got))
        known = set(case.get("files", {})) | set(case.get("after", {})) | set(case.get("may_appear", []))
        for d, _, names in os.walk(root):
            for n in names:
                rel = os.path.relpath(os.path.join(d, n), root)
                if rel not in known and not any("disk" in s and rel in s["disk"] for s in case["steps"]):
                    raise Failed("stray file left behind: %s" % rel)
    finally:
        if client:
            client.close()
        shutil.rmtree(base, ignore_errors=True)


def attempt(binary, case):
    """None when the case holds, else why it does not."""
    try:
        run_case(binary, case)
        return None
    except Failed as e:
        return str(e)
    except Exception as e:
        return repr(e)


def option(args, name, default):
    """Takes '--name VALUE' out of the arguments."""
    if name not in args:
        return default
    at = args.index(name)
    value = args[at + 1]
    del args[at:at + 2]
    return value


def main():
    args = sys.argv[1:]
    only = option(args, "--only", None)
    jobs = int(option(args, "--jobs", "1"))
    verbose = "--verbose" in args
    args = [a for a in args if not a.startswith("--")]
    if not args:
        print(__doc__)
        return 2
    binary, sources = os.path.abspath(args[0]), args[1:] or [os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases")]
    if not os.access(binary, os.X_OK):
        print("there is no program %s: build it first" % binary)
        return 2
    files = []
    for s in sources:
        files += sorted(os.path.join(s, n) for n in os.listdir(s) if n.endswith(".json")) if os.path.isdir(s) else [s]
    cases = []
    for f in files:
        with open(f, encoding="utf-8") as opened:
            cases += [c for c in json.load(opened) if not only or only in c["id"] or only in os.path.basename(f)]
    passed = failed = 0
    with ThreadPoolExecutor(jobs) as pool:
        for case, wrong in zip(cases, pool.map(lambda c: attempt(binary, c), cases)):
            if wrong is None:
                passed += 1
                if verbose:
                    print("ok   %s" % case["id"])
            else:
                failed += 1
                print("FAIL %s (%s)\n     %s" % (case["id"], case.get("why", ""), wrong), flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
