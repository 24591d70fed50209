// Runs the program: one command at a time, or as the link that lives as long as the editor. Nothing here knows of VS Code.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";

import type { LancetEvent } from "./records";

/** The most that one command may print, in bytes. */
const MOST_OUTPUT = 64 << 20;
/** The most unsaved files that lancet takes. */
export const MOST_UNSAVED = 1_000;
/** How long after its end the link is begun again, in milliseconds. After the last try it stays ended. */
const AGAIN = [1_000, 5_000, 30_000];

/** How long the link has to end by itself, in milliseconds. */
const LAST_MOMENT = 2_000;

/** The program, and the folder that it works in. */
export interface Place {
  program: string;
  folder: string;
  environment?: NodeJS.ProcessEnv;
}

/** Runs a command and gives what it prints. The error has what it said on standard error. */
export function run(place: Place, ...words: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd: place.folder, env: place.environment ?? process.env, maxBuffer: MOST_OUTPUT };
    const child = execFile(place.program, words, options, (error, out, said) => {
      if (!error) return resolve(out);
      const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
      const words = missing ? `${place.program} cannot be started; is lancet installed?` : said.trim() || out.trim() || error.message;
      reject(new Error(words.replace(/^lancet: /, "")));
    });
    // A command that reads its input would wait for ever.
    child.stdin?.end();
  });
}

/** Runs a command that prints JSON, one object a line. */
export async function ask<T>(place: Place, ...words: string[]): Promise<T[]> {
  const out = await run(place, ...words);
  return out.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as T);
}

/** Splits what comes in pieces into lines. */
export class Lines {
  private rest = "";
  private readonly decoder = new StringDecoder("utf8");

  /** Takes a piece and gives the lines that are whole. */
  take(piece: Buffer): string[] {
    const lines = (this.rest + this.decoder.write(piece)).split("\n");
    this.rest = lines.pop() ?? "";
    return lines.filter((line) => line !== "");
  }
}

/** The link: `lancet events --follow --editor NAME`, begun again when it ends by itself. */
export class Link {
  private child: ChildProcess | undefined;
  private timer: NodeJS.Timeout | undefined;
  private tries = 0;
  private ended = false;
  private sent = "";
  private unsaved: string[] = [];

  constructor(
    private readonly place: Place,
    private readonly name: string,
    private readonly tell: (event: LancetEvent) => void,
    private readonly failed: (words: string) => void,
  ) {
    this.begin();
  }

  private begin(): void {
    const { program, folder, environment } = this.place;
    const child = spawn(program, ["events", "--follow", "--editor", this.name], {
      cwd: folder,
      env: environment ?? process.env,
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.child = child;
    this.sent = "";
    const lines = new Lines();
    child.stdout.on("data", (piece: Buffer) => {
      for (const line of lines.take(piece)) this.take(line);
    });
    // It may end while something is being sent to it.
    child.stdin.on("error", () => {});
    let over = false;
    const end = (words: string) => {
      if (over || this.ended) return;
      over = true;
      this.child = undefined;
      const pause = AGAIN[this.tries];
      this.tries += 1;
      if (pause === undefined) this.failed(words);
      else this.timer = setTimeout(() => this.begin(), pause);
    };
    child.on("error", (error) => end(`${program} cannot be started: ${error.message}`));
    child.on("exit", (code, signal) => end(`the link to lancet has ended (${code ?? signal})`));
    this.send();
  }

  private take(line: string): void {
    let event: LancetEvent;
    try {
      event = JSON.parse(line) as LancetEvent;
    } catch {
      return;
    }
    if (event.event === "editor") this.tries = 0;
    this.tell(event);
  }

  /** Says which files have unsaved changes; gives how many are left out because there are too many. */
  setUnsaved(files: string[]): number {
    this.unsaved = [...new Set(files)].sort().slice(0, MOST_UNSAVED);
    this.send();
    return new Set(files).size - this.unsaved.length;
  }

  private send(): void {
    const line = JSON.stringify({ unsaved: this.unsaved });
    const isNews = line !== this.sent && (this.sent !== "" || this.unsaved.length > 0);
    if (!isNews || !this.child?.stdin?.writable) return;
    this.sent = line;
    this.child.stdin.write(`${line}\n`);
  }

  /** Ends the link. */
  dispose(): void {
    this.ended = true;
    clearTimeout(this.timer);
    // It ends by itself with its input, and takes its list along.
    const child = this.child;
    child?.stdin?.end();
    setTimeout(() => child?.kill(), LAST_MOMENT).unref();
  }
}
