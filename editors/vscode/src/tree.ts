// The two lists: what waits for the person, and what was changed. Each has files below its items, and hunks below its files.
import { basename } from "node:path";
import * as vscode from "vscode";

import type { Project } from "./project";
import { type Change, changedLine, type Question, questionHunks, short } from "./records";

/** An item of one of the lists. */
export type Item =
  | { kind: "question"; project: Project; question: Question }
  | { kind: "questionFile"; project: Project; question: Question; file: number }
  | { kind: "questionHunk"; project: Project; question: Question; file: number; number: number; line: number; text: string }
  | { kind: "change"; project: Project; change: Change }
  | { kind: "changeFile"; project: Project; change: Change; file: number }
  | { kind: "changeHunk"; project: Project; change: Change; file: number; number: number; line: number; text: string };

/** The path of the file that an item is about. */
export function pathOf(item: Item): string | undefined {
  if (item.kind === "question" || item.kind === "change") return undefined;
  return "question" in item ? item.question.files[item.file]?.file_path : item.change.files[item.file]?.file_path;
}

/** One of the lists. */
export class List implements vscode.TreeDataProvider<Item> {
  private readonly told = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.told.event;

  constructor(
    private readonly kind: "waiting" | "changes",
    private readonly projects: () => Iterable<Project>,
  ) {}

  /** Refreshes the list. */
  refresh(): void {
    this.told.fire();
  }

  async getChildren(item?: Item): Promise<Item[]> {
    if (!item) return this.top();
    const { project } = item;
    switch (item.kind) {
      case "question": {
        const question = await project.question(item.question.question);
        return question.files.map((_, file) => ({ kind: "questionFile", project, question, file }));
      }
      case "change": {
        const change = await project.change(item.change.operation);
        return change.files.map((_, file) => ({ kind: "changeFile", project, change, file }));
      }
      case "questionFile": {
        const { question, file } = item;
        const found = question.files[file];
        return (found ? questionHunks(found) : []).map(({ number, line, lines }) => {
          return { kind: "questionHunk", project, question, file, number, ...changedLine(line, lines) };
        });
      }
      case "changeFile": {
        const { change, file } = item;
        return (change.files[file]?.hunks ?? []).map(({ number, newStart, lines }) => {
          return { kind: "changeHunk", project, change, file, number, ...changedLine(newStart, lines) };
        });
      }
      default:
        return [];
    }
  }

  private top(): Item[] {
    const items: Item[] = [];
    for (const project of this.projects()) {
      if (this.kind === "waiting") {
        for (const question of project.waiting) items.push({ kind: "question", project, question });
      } else {
        for (const change of project.changes) items.push({ kind: "change", project, change });
      }
    }
    return items;
  }

  getTreeItem(item: Item): vscode.TreeItem {
    const shown = new vscode.TreeItem("", vscode.TreeItemCollapsibleState.Collapsed);
    shown.contextValue = item.kind;
    switch (item.kind) {
      case "question": {
        const { question } = item;
        shown.id = `question ${question.question}`;
        shown.label = names(question.files);
        shown.description = `${question.client ?? "an agent"} · ${question.tool} · ${question.short}`;
        shown.tooltip = `Asked because ${question.reason}`;
        shown.iconPath = new vscode.ThemeIcon(question.protected ? "shield" : "question");
        break;
      }
      case "change": {
        const { change } = item;
        shown.id = `change ${change.operation}`;
        shown.label = names(change.files);
        shown.description = `${change.client ?? ""} · ${change.tool ?? ""} · ${short(change.operation)}`;
        shown.tooltip = change.time;
        const isUndone = change.files.length > 0 && change.files.every((file) => file.undoneBy);
        shown.iconPath = new vscode.ThemeIcon(isUndone ? "discard" : "edit");
        break;
      }
      case "questionFile":
      case "changeFile": {
        const file = item.kind === "questionFile" ? item.question.files[item.file] : item.change.files[item.file];
        shown.resourceUri = vscode.Uri.file(file?.file_path ?? "");
        shown.label = basename(file?.file_path ?? "");
        shown.description = `${file?.type ?? ""} +${file?.added ?? 0} -${file?.removed ?? 0}`;
        shown.command = { command: "lancet.diff", title: "Show the diff", arguments: [item] };
        break;
      }
      default:
        shown.collapsibleState = vscode.TreeItemCollapsibleState.None;
        shown.label = `line ${item.line}`;
        shown.description = item.text;
        shown.command = { command: "lancet.jump", title: "Go to the line", arguments: [item] };
    }
    return shown;
  }
}

/** The names of the files, in few words. */
function names(files: { file_path: string }[]): string {
  const [first, ...others] = files.map((file) => basename(file.file_path));
  return first === undefined ? "no file" : others.length === 0 ? first : `${first} and ${others.length} more`;
}
