// The two sides of a diff, as documents that are no files: `lancet:` addresses name a project, a change or question, and a side.
import * as vscode from "vscode";

import type { Project } from "./project";
import { type Item, pathOf } from "./tree";

/** The scheme of these addresses. */
export const SCHEME = "lancet";

/** What an address names. */
interface Named {
  folder: string;
  side: "before" | "after";
  change?: string;
  question?: string;
  file: number;
  path: string;
}

/** Gives the text of the sides. */
export class Texts implements vscode.TextDocumentContentProvider {
  constructor(private readonly project: (folder: string) => Project | undefined) {}

  async provideTextDocumentContent(address: vscode.Uri): Promise<string> {
    const named = JSON.parse(address.query) as Named;
    const project = this.project(named.folder);
    if (!project) return "";
    if (named.change !== undefined) return project.content(named.path, named.change, named.side);
    const question = await project.question(named.question ?? "");
    const file = question.files[named.file];
    const text = named.side === "before" ? file?.oldText : file?.newText;
    if (typeof text === "string") return text;
    // A text that is too long or may not be shown whole: the lines that change, on one side.
    return named.side === "before" ? "" : (file?.pieces ?? []).map((piece) => piece.diff).join("");
  }
}

/** Opens the diff of a file of a change or question. */
export async function openDiff(item: Item): Promise<void> {
  const path = pathOf(item);
  if (path === undefined || !("file" in item)) return;
  const about = "question" in item ? { question: item.question.question } : { change: item.change.operation };
  const side = (side: Named["side"]) => {
    const named: Named = { folder: item.project.place.folder, side, file: item.file, path, ...about };
    return vscode.Uri.from({ scheme: SCHEME, path, query: JSON.stringify(named) });
  };
  const title = `${vscode.workspace.asRelativePath(path)} (${"question" in item ? "waits for you" : "changed"})`;
  await vscode.commands.executeCommand("vscode.diff", side("before"), side("after"), title, { preview: true });
}
