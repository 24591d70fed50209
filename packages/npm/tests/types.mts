// What must hold of the types: this file is checked and never run. A line below @ts-expect-error must not pass.

import { CallTimeout, Lancet, LancetError, Refused, ServerDied } from "lancet-mcp";
import type { Answer, Change, Decision, Format, Question } from "lancet-mcp";

const approve = async (question: Question, signal?: AbortSignal): Promise<Decision> =>
  question.protected && !signal?.aborted ? { no: `not ${question.tool}` } : "session";
await using lancet = new Lancet(["/a", "/b"], { approve, mode: "ask", timeout: 1000, onLog: (line) => line.trim() });
const session = lancet.session("name");
const turn: string = session.beginTurn();
const read: Answer = await session.read("a.txt", { offset: 1, signal: AbortSignal.timeout(10) });
const revision: string | undefined = read.revision;
await session.edit("a.txt", "a", "b", { replaceAll: true, expectCount: 2, dryRun: true, revision });
await session.multiEdit([{ oldString: "a", newString: "b" }], { filePath: "a.txt" });
await session.write("a.txt", "a", { mode: "append" });
await session.notebookEdit("n.ipynb", undefined, { cellNumber: 1, editMode: "delete" });
const files: string[] = (await session.grep("x", { ignoreCase: true, outputMode: "count" })).files;
await session.glob("*.ts", { includeIgnored: true, timeout: 5 });
const format: Format = "gemini";
const parts: unknown[] = await session.dispatch(format, [{ functionCall: { name: "Read" } }]);
const changes: Change[] = await session.changes(turn);
await session.undo(turn, { keepGoing: true });
try {
  await session.call("Read", { file_path: "/a" }, { call: "id" });
} catch (error) {
  if (error instanceof Refused && error.refusal === "stale") console.log(error.code.toFixed());
  // @ts-expect-error: it is no name of a refusal
  if (error instanceof Refused && error.refusal === "stail") throw error;
  if (error instanceof ServerDied) console.log(error.log.length, error.signal);
  if (error instanceof CallTimeout) throw new LancetError(error.message);
}
// @ts-expect-error: it is no mode of Write
await session.write("a.txt", "a", { mode: "replace" });
// @ts-expect-error: it is no option of Read
await session.read("a.txt", { dryRun: true });
// @ts-expect-error: it is no format
await lancet.tools("cobol");
new Lancet("/a", { approve: (question) => ({ no: question.tool, by: "policy" }) });
// @ts-expect-error: it is no decision
new Lancet("/a", { approve: () => "perhaps" });
console.log(files, parts, changes);
