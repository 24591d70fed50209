// Watches a folder and prints what it is told, one event on a line: `KIND NAME`. First `ready`.
// watch.mjs chokidar|parcel FOLDER

import path from "node:path";

const [watcher, folder] = process.argv.slice(2);
const say = (kind, file) => console.log(`${kind} ${path.basename(file)}`);

if (watcher === "chokidar") {
  const { watch } = await import("chokidar");
  watch(folder, { ignoreInitial: true })
    .on("all", say)
    .on("ready", () => console.log("ready"));
} else {
  const { default: parcel } = await import("@parcel/watcher");
  await parcel.subscribe(folder, (error, events) => {
    if (error) throw error;
    for (const event of events) say(event.type, event.path);
  });
  console.log("ready");
}

// Until whoever asked closes the door.
process.stdin.resume().on("end", () => process.exit(0));
