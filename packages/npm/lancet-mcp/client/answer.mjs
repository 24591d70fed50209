// The answer to one call.

import { Refused } from "./errors.mjs";

export class Answer {
  constructor(text, images, data, isError) {
    this.text = text;
    this.images = images;
    this.data = data;
    this.isError = isError;
  }

  // The answer in a result of `tools/call`.
  static ofResult(result) {
    const blocks = result.content ?? [];
    const texts = blocks.filter((block) => block.type === "text").map((block) => block.text);
    const pictures = blocks.filter((block) => block.type === "image");
    const images = pictures.map((block) => ({ mediaType: block.mimeType, data: block.data }));
    return new Answer(texts.join("\n"), images, result._meta?.["lancet/result"] ?? {}, result.isError === true);
  }

  // The answer in the JSON that a command of the shell printed.
  static ofCommand({ text = "", ...data }) {
    // A session without changes is refused by the command line, which has names and no numbers.
    if (data.error?.name === "not_found") data.error = { code: 8, ...data.error };
    return new Answer(text, [], data, "error" in data);
  }

  get refused() {
    return this.isError ? new Refused(this) : undefined;
  }

  get revision() {
    return this.data.revision;
  }

  get operation() {
    return this.data.operation;
  }

  get files() {
    return (this.data.files ?? []).map((entry) => (typeof entry === "string" ? entry : entry.file_path));
  }

  get diff() {
    const head = (hunk) => `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`;
    const lines = (this.data.patch ?? []).flatMap((hunk) => [head(hunk), ...hunk.lines]);
    return lines.map((line) => `${line}\n`).join("");
  }
}
