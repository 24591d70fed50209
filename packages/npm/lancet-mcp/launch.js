"use strict";
// Starts the binary of this platform, which npm has installed as a package of its own, under the given name.

const { spawn } = require("node:child_process");
const os = require("node:os");

function binary() {
  const platform = `lancet-mcp-${process.platform}-${process.arch}`;
  try {
    return require.resolve(`${platform}/bin/lancet`);
  } catch {
    console.error(
      `lancet-mcp: the package ${platform} is not installed. lancet is packaged for Linux; where it is, install again ` +
        "without --omit=optional and without --no-optional.",
    );
    process.exit(1);
  }
}

module.exports = function launch(name) {
  const child = spawn(binary(), process.argv.slice(2), { argv0: name, stdio: "inherit" });
  child.on("error", (error) => {
    console.error(`lancet-mcp: ${error.message}`);
    process.exit(1);
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("exit", (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : code));
};
