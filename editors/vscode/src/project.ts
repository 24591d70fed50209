// One project: what waits, what was changed, and what can be done about both. Nothing here knows of VS Code.
import { sep } from "node:path";

import { ask, Link, type Place, run } from "./program";
import type { Change, LancetEvent, Question } from "./records";

/** How many changes are listed. */
const MOST_CHANGES = 50;
/** How long news is gathered before it is looked at, in milliseconds. */
const PAUSE = 100;

/** What a project tells. */
export interface Listener {
  /** The lists are other ones. */
  changed(): void;
  /** These questions are new. */
  asked(questions: Question[]): void;
  /** Something did not work. */
  failed(words: string): void;
}

/** One project. */
export class Project {
  /** The questions that wait, newest first. */
  waiting: Question[] = [];
  /** The newest changes, newest first. */
  changes: Change[] = [];
  /** The folders of the project, as lancet sees them. */
  roots: string[] = [];
  private readonly link: Link;
  private known: Set<string> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private ended = false;

  constructor(
    readonly place: Place,
    editor: string,
    private readonly listener: Listener,
  ) {
    this.link = new Link(place, editor, (event) => this.take(event), (words) => listener.failed(words));
  }

  private take(event: LancetEvent): void {
    if (event.event === "editor") {
      const isFirst = this.roots.length === 0;
      this.roots = event.roots ?? this.roots;
      if (isFirst) this.soon();
    } else if (event.event === "changed" ? this.holds(event.path) : ["waiting", "decided"].includes(event.event)) {
      this.soon();
    }
  }

  private holds(path: string | undefined): boolean {
    return path !== undefined && this.roots.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep));
  }

  private soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.look().catch((error: Error) => this.listener.failed(error.message)), PAUSE);
  }

  /** Looks at what waits and what was changed. */
  async look(): Promise<void> {
    const [questions, changes] = await Promise.all([
      ask<Question>(this.place, "pending", "--json"),
      ask<Change>(this.place, "log", "--json", "-n", String(MOST_CHANGES)),
    ]);
    if (this.ended) return;
    // The last object of each list has the total.
    this.waiting = questions.filter((one) => one.question);
    this.changes = changes.filter((one) => one.operation);
    const known = this.known;
    this.known = new Set(this.waiting.map((one) => one.question));
    this.listener.changed();
    const asked = this.waiting.filter((one) => !known?.has(one.question));
    if (asked.length > 0) this.listener.asked(asked);
  }

  /** Says which files have unsaved changes; gives how many are left out because there are too many. */
  setUnsaved(files: string[]): number {
    return this.link.setUnsaved(files);
  }

  /** A question with its diffs and texts. */
  async question(id: string): Promise<Question> {
    return this.one(await ask<Question>(this.place, "pending", "show", id, "--json"), id);
  }

  /** A change with its hunks. */
  async change(id: string): Promise<Change> {
    return this.one(await ask<Change>(this.place, "show", id, "--json"), id);
  }

  private one<T>(found: T[], id: string): T {
    const [first] = found;
    if (first === undefined) throw new Error(`there is nothing of ${id}`);
    return first;
  }

  /** A file before or after a change. */
  content(path: string, change: string, side: "before" | "after"): Promise<string> {
    return run(this.place, "show", `${path}@${change}${side === "before" ? "^" : ""}`);
  }

  /** Rejects a question; the model receives the words. */
  async reject(id: string, words: string): Promise<void> {
    await run(this.place, "pending", "reject", id, ...(words === "" ? [] : ["--", words]));
  }

  /** Takes back one hunk of a change. The person has seen it, and no file of it has unsaved changes. */
  async takeHunk(change: string, number: number): Promise<void> {
    await run(this.place, "undo", change, "--hunk", String(number), "--yes");
  }

  /** The words of the command that approves, which a person has to answer at a terminal. */
  approval(id: string, hunks: number[]): string[] {
    return ["pending", "approve", id, ...hunks.flatMap((hunk) => ["--hunk", String(hunk)])];
  }

  /** Ends the link. */
  dispose(): void {
    this.ended = true;
    clearTimeout(this.timer);
    this.link.dispose();
  }
}
