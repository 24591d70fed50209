// What lancet prints, as far as the extension uses it.

/** A line of `lancet events --follow --editor`. */
export interface LancetEvent {
  event: string;
  seq?: number;
  client?: string | null;
  path?: string;
  kind?: string;
  operation?: string;
  question?: string;
  reason?: string;
  roots?: string[];
  unsaved?: number;
}

/** A question that waits, as `lancet pending --json` lists it. */
export interface Question {
  question: string;
  short: string;
  tool: string;
  client: string | null;
  reason: string;
  protected: boolean;
  files: QuestionFile[];
}

/** A file of a question. What follows `removed` comes with `lancet pending show --json` alone. */
export interface QuestionFile {
  file_path: string;
  type: string;
  added: number;
  removed: number;
  pieces?: { hunks: number[]; diff: string }[];
  notices?: string[];
  oldText?: string | null;
  newText?: string | null;
}

/** A change, as `lancet log --json` and `lancet show --json` give it. */
export interface Change {
  operation: string;
  time: string;
  client: string | null;
  tool: string | null;
  files: ChangeFile[];
}

/** A file of a change; `patch` and `hunks` come with `lancet show --json` alone. */
export interface ChangeFile {
  file_path: string;
  type: string;
  added: number;
  removed: number;
  undoneBy?: string | null;
  patch?: string | null;
  hunks?: NumberedHunk[];
}

/** A hunk of a change; its number is what `lancet undo --hunk` takes. */
export interface NumberedHunk {
  number: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

/** The hunks of a file of a question, with the first line of each in the new text. */
export function questionHunks(file: QuestionFile): { number: number; line: number; lines: string[] }[] {
  const hunks: { number: number; line: number; lines: string[] }[] = [];
  for (const piece of file.pieces ?? []) {
    let at = -1;
    for (const line of piece.diff.replace(/\n$/, "").split("\n")) {
      const head = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(line);
      if (head) {
        at += 1;
        hunks.push({ number: piece.hunks[at] ?? 0, line: Number(head[1]), lines: [] });
      } else if (at >= 0) {
        hunks[hunks.length - 1]?.lines.push(line);
      }
    }
  }
  return hunks;
}

/** The first line of a hunk that was changed, and its text. */
export function changedLine(first: number, lines: string[]): { line: number; text: string } {
  let line = first;
  for (const text of lines) {
    if (/^[-+]/.test(text)) return { line, text: text.slice(1).trim() };
    if (!text.startsWith("\\")) line += 1;
  }
  return { line: first, text: "" };
}

/** The end of an id, as lists show it. */
export function short(id: string): string {
  return id.slice(-4);
}
