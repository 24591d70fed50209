"use strict";
// Starts the binary of this platform under the given name.

const { spawn } = require("node:child_process");
const os = require("node:os");
const binary = require("./binary.js");

function fail(error) {
  console.error(`lancet-mcp: ${error.message}`);
  process.exit(1);
}

module.exports = function launch(name) {
  let program;
  try {
    program = binary();
  } catch (error) {
    fail(error);
  }
  const child = spawn(program, process.argv.slice(2), { argv0: name, stdio: "inherit" });
  child.on("error", fail);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("exit", (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : code));
};
