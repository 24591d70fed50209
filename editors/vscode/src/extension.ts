// The extension: a link for each folder of the workspace, the two lists, and the commands.
import * as vscode from "vscode";

import { Project } from "./project";
import type { Question } from "./records";
import { openDiff, SCHEME, Texts } from "./texts";
import { type Item, List, pathOf } from "./tree";

/** The name by which lancet calls this editor. */
const EDITOR = "VS Code";
/** How long changes of documents are collected before they are sent to lancet, in milliseconds. */
const PAUSE = 100;

export function activate(context: vscode.ExtensionContext): void {
  const projects = new Map<string, Project>();
  const waiting = new List("waiting", () => projects.values());
  const changes = new List("changes", () => projects.values());
  const view = vscode.window.createTreeView("lancet.waiting", { treeDataProvider: waiting });
  const setting = <T>(name: string, otherwise: T) => vscode.workspace.getConfiguration("lancet").get<T>(name, otherwise);

  const refresh = () => {
    waiting.refresh();
    changes.refresh();
    const number = [...projects.values()].reduce((sum, project) => sum + project.waiting.length, 0);
    view.badge = number === 0 ? undefined : { value: number, tooltip: `${number} waiting for you` };
  };
  const follow = () => {
    const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file").map((folder) => folder.uri.fsPath);
    for (const [folder, project] of projects) {
      if (folders.includes(folder)) continue;
      project.dispose();
      projects.delete(folder);
    }
    for (const folder of folders) {
      if (projects.has(folder)) continue;
      const place = { program: setting("command", "lancet"), folder };
      const project: Project = new Project(place, EDITOR, {
        changed: refresh,
        asked: (questions) => void (setting("notify", true) && tell(project, questions)),
        failed: (words) => void vscode.window.showWarningMessage(`lancet: ${words}`),
      });
      projects.set(folder, project);
    }
    refresh();
    tellUnsaved();
  };

  let timer: NodeJS.Timeout | undefined;
  const tellUnsaved = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const unsaved = vscode.workspace.textDocuments.filter((document) => document.isDirty && document.uri.scheme === "file");
      const files = unsaved.map((document) => document.uri.fsPath);
      for (const project of projects.values()) project.setUnsaved(files);
    }, PAUSE);
  };
  const command = (name: string, act: (item?: Item) => unknown) => {
    return vscode.commands.registerCommand(`lancet.${name}`, async (item?: Item) => {
      try {
        await act(item);
      } catch (error) {
        await vscode.window.showErrorMessage(`lancet: ${(error as Error).message}`);
      }
    });
  };
  const restart = () => {
    for (const project of projects.values()) project.dispose();
    projects.clear();
    follow();
  };

  context.subscriptions.push(
    view,
    vscode.window.registerTreeDataProvider("lancet.changes", changes),
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, new Texts((folder) => projects.get(folder))),
    vscode.workspace.onDidChangeTextDocument(tellUnsaved),
    vscode.workspace.onDidSaveTextDocument(tellUnsaved),
    vscode.workspace.onDidCloseTextDocument(tellUnsaved),
    vscode.workspace.onDidChangeWorkspaceFolders(follow),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("lancet.command") && restart()),
    command("refresh", () => Promise.all([...projects.values()].map((project) => project.look()))),
    command("diff", (item) => item && openDiff(item)),
    command("jump", (item) => item && jump(item)),
    command("approve", async (item) => approve(item ?? (await chosen(projects.values())))),
    command("reject", async (item) => reject(item ?? (await chosen(projects.values())))),
    command("undo", (item) => undo(item, projects.values())),
    command("takeHunk", (item) => item && takeHunk(item)),
    { dispose: () => projects.forEach((project) => project.dispose()) },
  );
  follow();
}

/** Tells of new questions; the answer opens the diff, or is given at once where it is a no. */
async function tell(project: Project, questions: Question[]): Promise<void> {
  const [first] = questions;
  if (!first) return;
  const more = questions.length > 1 ? ` (and ${questions.length - 1} more)` : "";
  const words = `${first.client ?? "An agent"} waits for you: ${first.reason}${more}`;
  const answer = await vscode.window.showInformationMessage(words, "Show the diff", "Approve", "Reject");
  const item: Item = { kind: "question", project, question: first };
  if (answer === "Approve") approve(item);
  if (answer === "Reject") await reject(item);
  if (answer === "Show the diff") {
    const question = await project.question(first.question);
    await openDiff({ kind: "questionFile", project, question, file: 0 });
  }
}

/** Lets the person choose one of the questions that wait. */
async function chosen(projects: Iterable<Project>): Promise<Item | undefined> {
  const choices = [...projects].flatMap((project) => {
    return project.waiting.map((question) => ({ label: question.short, description: question.reason, item: { kind: "question", project, question } as Item }));
  });
  if (choices.length === 0) void vscode.window.showInformationMessage("lancet: nothing waits for you");
  return choices.length < 2 ? choices[0]?.item : (await vscode.window.showQuickPick(choices))?.item;
}

/** Approves a question or a hunk of it. The person types the answer at a terminal, where lancet shows what it will write. */
function approve(item: Item | undefined): void {
  if (!item || !("question" in item)) return;
  const hunks = item.kind === "questionHunk" ? [item.number] : [];
  inTerminal(item.project, "lancet: approve", item.project.approval(item.question.question, hunks));
}

function inTerminal(project: Project, name: string, words: string[]): void {
  const { program, folder } = project.place;
  const terminal = vscode.window.createTerminal({ name, cwd: folder, shellPath: program, shellArgs: words, env: { LANCET_PAGER: "cat" } });
  terminal.show();
}

async function reject(item: Item | undefined): Promise<void> {
  if (!item || !("question" in item)) return;
  const words = await vscode.window.showInputBox({ title: "Reject", prompt: "Words for the model; they may be empty" });
  if (words !== undefined) await item.project.reject(item.question.question, words);
}

async function jump(item: Item): Promise<void> {
  const path = pathOf(item);
  if (path === undefined || !("line" in item)) return;
  const document = await vscode.workspace.openTextDocument(path);
  const at = new vscode.Position(Math.min(Math.max(item.line, 1), document.lineCount) - 1, 0);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at) });
}

/** Takes back a change; without one the newest. lancet shows at a terminal what will become of the files, and asks. */
function undo(item: Item | undefined, projects: Iterable<Project>): void {
  const [first] = projects;
  const project = item?.project ?? first;
  if (!project) return;
  inTerminal(project, "lancet: undo", item && "change" in item ? ["undo", item.change.operation] : ["undo"]);
}

async function takeHunk(item: Item): Promise<void> {
  if (item.kind !== "changeHunk") return;
  const path = pathOf(item);
  const isDirty = vscode.workspace.textDocuments.some((document) => document.isDirty && document.uri.fsPath === path);
  if (isDirty) throw new Error("the file has unsaved changes; save it first, and nothing was undone");
  await item.project.takeHunk(item.change.operation, item.number);
}
