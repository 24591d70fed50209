/// <reference lib="esnext.disposable" />
/**
 * File tools for AI agents: every edit lands exactly where it was meant, or not at all.
 *
 * `Lancet` starts the program of this package and speaks MCP with it. A session is one conversation of one model.
 *
 * ```js
 * import { Lancet } from "lancet-mcp";
 *
 * const lancet = new Lancet("/path/to/project");
 * const session = lancet.session();
 * const tools = await lancet.tools("anthropic");                          // for the request to the API
 * const results = await session.dispatch("anthropic", response.content);  // a model's tool calls, answered
 * await session.edit("src/a.ts", "old text", "new text");                 // the same tools, called by hand
 * await session.undo();                                                   // everything that this session changed
 * await lancet.close();
 * ```
 */

/** Anthropic's Messages API, OpenAI's Chat Completions API and those like it, OpenAI's Responses API, Google's Gemini API. */
export type Format = "anthropic" | "openai" | "responses" | "gemini";

/**
 * `ask`: every write is asked about. `accept-edits`: writes inside the roots go through. `plan`: nothing is written. `bypass`: nothing is
 * asked but about protected names. Protected names are asked about in every mode.
 */
export type Mode = "ask" | "accept-edits" | "plan" | "bypass";

/**
 * `session`: no more questions about this file until the client is closed. `always`: one rule is added to the user's settings.
 * `{ no }`: a rejection with a message for the model; `by` names the program that decided, where it was no person. Anything else is a
 * rejection.
 */
export type Decision = "yes" | "no" | "session" | "always" | { no: string; by?: string };

/** One call that may write only with a person's approval. */
export interface Question {
  /** Every file of the call with its lines added and removed, the reason, the rule and the diffs, ready to be shown. */
  text: string;
  tool: string;
  /** The arguments, as the model sent them. */
  arguments: unknown;
  /** The name of the session that the call belongs to. */
  session: string;
  /** What may be answered: `yes`, `no`, `session`, and `always` where a rule can be kept. */
  choices: string[];
  /** Whether one of the names is protected or secret. */
  protected: boolean;
}

/** A call that has been at work for over half a second. */
export interface Progress {
  session: string;
  tool: string;
  message: string;
}

export interface LancetOptions {
  /** Is asked about writes that need a person's approval; without it they are declined. The signal is that of the call. */
  approve?: (question: Question, signal?: AbortSignal) => Decision | Promise<Decision>;
  /** What happens to writes. Default: `ask` with `approve`, else that of the user's settings, else `accept-edits`. */
  mode?: Mode;
  /** The tools on offer, as `lancet mcp --tools` takes them: `default,-NotebookEdit`, `all`, `text-editor`. */
  tools?: string;
  /** Is put before every tool's name, where your agent has tools of the same names: `lancet_`. */
  prefix?: string;
  /** Where history and sessions are kept. Default: the user's own. */
  stateDir?: string;
  /** A settings file over the user's. */
  config?: string;
  /** Folders that may be read and are never written. */
  readRoots?: string[];
  /** The milliseconds that a call may take, the time of `approve` not counted; lancet itself ends a call after 60 s. */
  timeout?: number;
  /** Is called with each line of the log. */
  onLog?: (line: string) => void;
  /** From which level on lines are logged. Default: `warn`. */
  log?: "error" | "warn" | "info" | "debug";
  /** Receives the progress of long calls. */
  onProgress?: (progress: Progress) => void;
  /** Your program, for the history. */
  client?: { name: string; version: string };
  /** The program. Default: `LANCET_BIN`, else that of this package. */
  binary?: string;
  /** Its environment. Default: that of this process. */
  env?: Record<string, string | undefined>;
}

/** A running lancet. Sessions share it; their calls run at the same time. It keeps this process alive only while it is at work. */
export class Lancet {
  /** Starts the program in a folder, or in several; relative paths of the methods start at the first. */
  constructor(root: string | string[], options?: LancetOptions);
  /** The id of the process that serves the calls. */
  readonly pid: number | undefined;
  /** A conversation: a new one, or the one of this name (`A-Z a-z 0-9 . _ -`), which may be of an earlier process. */
  session(name?: string): Session;
  /** A few lines for the system prompt. */
  instructions(): Promise<string>;
  /** The tools on offer, as the value of `tools` in a request to the API; `strict` for schemas in the provider's strict form. */
  tools(format: Format, options?: { strict?: boolean }): Promise<any[]>;
  /** All changes below the roots, newest first, whoever made them through lancet. */
  changes(): Promise<Change[]>;
  /** Undoes one change by its id. */
  undo(operation: string, options?: UndoOptions): Promise<Answer>;
  /** Ends the program, after a write that has begun. */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What every call takes. */
export interface CallOptions {
  /** The milliseconds that the call may take. */
  timeout?: number;
  /** Cancels the call. A write may have been made before that: `session.changes()` tells. */
  signal?: AbortSignal;
}

/**
 * One conversation of one model, by name. lancet keeps for it what the model has seen; only what was seen may be changed.
 * The methods throw `Refused` where lancet refuses. Relative paths start at the client's first root.
 */
export class Session {
  private constructor();
  /** The name, under which the session goes on in another process, and its changes are found in the history. */
  readonly name: string;
  /** The turn that calls belong to; `beginTurn` sets it. */
  turn: string | undefined;
  /** Begins a turn, such as a prompt of the user: the calls from here on can be undone together. Returns its id. */
  beginTurn(turn?: string): string;
  /** Tells with the next call that the host put this text of a file before the model: it counts as a Read of these lines. */
  seen(filePath: string, text: string): void;
  /** Tells with the next call that the conversation was shortened: the next Read of each file answers with its text. */
  shortened(): void;

  /** Shows a file. */
  read(filePath: string, options?: ReadOptions & CallOptions): Promise<Answer>;
  /** Replaces text that occurs once in a file, or everywhere with `replaceAll`. */
  edit(filePath: string, oldString: string, newString: string, options?: EditOptions & CallOptions): Promise<Answer>;
  /** Makes several edits in one or more files, all or none. */
  multiEdit(edits: Replacement[], options?: MultiEditOptions & CallOptions): Promise<Answer>;
  /** Creates a file or replaces all of it. */
  write(filePath: string, content: string, options?: WriteOptions & CallOptions): Promise<Answer>;
  /** Replaces, inserts or deletes one cell of a Jupyter notebook. */
  notebookEdit(notebookPath: string, newSource?: string, options?: NotebookEditOptions & CallOptions): Promise<Answer>;
  /** Lists files by a pattern of names, newest first; `answer.files` has them. */
  glob(pattern: string, options?: GlobOptions & CallOptions): Promise<Answer>;
  /** Searches files for a regular expression; `answer.files` has those with a match. */
  grep(pattern: string, options?: GrepOptions & CallOptions): Promise<Answer>;

  /** Carries out what a model asked for. A refusal is an answer, too: the model is to read it (`answer.isError`). */
  call(tool: string, args: unknown, options?: { turn?: string; call?: string } & CallOptions): Promise<Answer>;
  /**
   * Answers the tool calls of a model's message, one after the other, in the form of the next request. `items` are for anthropic the
   * `content` of the message, for openai its `tool_calls`, for responses the `output`, for gemini the `parts`. The result has
   * tool_result blocks, messages, input items or parts.
   */
  dispatch(
    format: Format,
    items: Iterable<unknown> | null | undefined,
    options?: { turn?: string; signal?: AbortSignal },
  ): Promise<any[]>;

  /** The changes of this session, or of one turn, newest first. */
  changes(turn?: string): Promise<Change[]>;
  /** Undoes all changes of this session, or of one turn, at once. Throws Refused `conflict` where a file was changed since. */
  undo(turn?: string, options?: UndoOptions): Promise<Answer>;
}

export interface ReadOptions {
  /** The first line, from 1. */
  offset?: number;
  /** The number of lines. */
  limit?: number;
  /** Shows the line at `offset` alone, from this character on. */
  column?: number;
  /** Pages of a PDF: `3`, `1-5` or `10-`. */
  pages?: string;
  /** `outline` shows what source code names, with its lines, instead of the text. */
  mode?: "text" | "outline";
  /** Shows the text again though the session has seen it. */
  force?: boolean;
}

export interface EditOptions {
  replaceAll?: boolean;
  /** Refuses any other number of places. */
  expectCount?: number;
  /** Refuses unless the file is at this revision. */
  revision?: string;
  /** Writes text that was refused as leaked. */
  insist?: boolean;
  /** Shows the patch and writes nothing. */
  dryRun?: boolean;
}

/** One edit of `multiEdit`. */
export interface Replacement {
  oldString: string;
  newString: string;
  filePath?: string;
  replaceAll?: boolean;
  revision?: string;
}

export interface MultiEditOptions {
  /** For edits that name no file. */
  filePath?: string;
  insist?: boolean;
  dryRun?: boolean;
}

export interface WriteOptions {
  /** `create` never writes over a file. */
  mode?: "overwrite" | "append" | "create";
  revision?: string;
  insist?: boolean;
  dryRun?: boolean;
}

export interface NotebookEditOptions {
  cellId?: string;
  cellNumber?: number;
  cellType?: "code" | "markdown" | "raw";
  editMode?: "replace" | "insert" | "delete";
  /** Inserts before the named cell. */
  before?: boolean;
  revision?: string;
  dryRun?: boolean;
}

export interface GlobOptions {
  path?: string;
  limit?: number;
  offset?: number;
  includeIgnored?: boolean;
}

export interface GrepOptions {
  path?: string;
  glob?: string;
  type?: string;
  outputMode?: "files_with_matches" | "content" | "count";
  after?: number;
  before?: number;
  context?: number;
  lineNumbers?: boolean;
  ignoreCase?: boolean;
  multiline?: boolean;
  headLimit?: number;
  offset?: number;
  includeIgnored?: boolean;
}

export interface UndoOptions {
  /** Where a file was changed since, takes out these changes alone, if they do not touch. */
  merge?: boolean;
  /** Leaves out the files that were changed since, and names them. */
  keepGoing?: boolean;
  /** Protected names, too, with the person's token in LANCET_TOKEN; without it they are declined. */
  protected?: boolean;
  /** Shows the diff and writes nothing. */
  dryRun?: boolean;
}

/** A picture in an answer. */
export interface Image {
  mediaType: string;
  /** The bytes in base64. */
  data: string;
}

/** The answer to one call: text and pictures for the model, data for programs. */
export class Answer {
  private constructor();
  /** What the model is to read. */
  readonly text: string;
  readonly images: Image[];
  /** What programs use: `revision`, `operation`, `patch`, `files` and others (docs/builders.md). */
  readonly data: Record<string, any>;
  /** Whether lancet refused the call. */
  readonly isError: boolean;
  /** The refusal, where this is one. */
  readonly refused: Refused | undefined;
  /** The revision of the file that was read or written. */
  readonly revision: string | undefined;
  /** The id of the change in the history. */
  readonly operation: string | undefined;
  /** The paths that Glob or Grep found, those below the first root relative to it, or those of a change of several files. */
  readonly files: string[];
  /** The change of one file as the hunks of a unified diff; empty where nothing was written. */
  readonly diff: string;
}

/** One operation of the history. */
export interface Change {
  operation: string;
  time: string;
  tool: string;
  session: string;
  turn: string | undefined;
  call: string | undefined;
  /** The paths of its files. */
  files: string[];
  /** Everything that `lancet log --json` tells of it. */
  data: Record<string, any>;
}

/** The names of refusals; docs/errors.md says what each means. They are the same in all tools. */
export type RefusalName =
  | "secret" | "no_change" | "denied" | "exists" | "missing" | "notebook" | "not_read" | "stale" | "not_found" | "ambiguous"
  | "too_large" | "invalid" | "outside" | "special" | "binary" | "unencodable" | "declined" | "count" | "leaked" | "conflict" | "io"
  | "busy" | "damaged" | "timeout" | "internal" | "waiting";

/** Everything that this package throws, but for what your own callbacks throw and the reason of an aborted signal. */
export class LancetError extends Error {}

/** A call that lancet refused: the file is as it was. The message says why, and what to send next. */
export class Refused extends LancetError {
  readonly answer: Answer;
  /** The stable name. */
  readonly refusal: RefusalName;
  /** The stable number; it is that of the tool's own table. */
  readonly code: number;
}

/** The program ended while it was needed. A new client with the same session names goes on from there. */
export class ServerDied extends LancetError {
  readonly status: number | null;
  readonly signal: string | null;
  /** The last lines of its standard error. */
  readonly log: string[];
}

/** A call that got no answer in time. It was cancelled; a write may have been made before that: `session.changes()` tells. */
export class CallTimeout extends LancetError {}

/** A JSON-RPC error: the request never reached a tool. */
export class ProtocolError extends LancetError {
  readonly code: number;
}

/** The program is not where this package was installed. */
export class BinaryNotFound extends LancetError {}
