"use strict";
// Finds the binary of this platform, which npm has installed as a package of its own.

module.exports = function binary() {
  const platform = `lancet-mcp-${process.platform}-${process.arch}`;
  try {
    return require.resolve(`${platform}/bin/lancet`);
  } catch {
    throw new Error(
      `the package ${platform} is not installed. lancet is packaged for Linux; where it is, install again ` +
        "without --omit=optional and without --no-optional.",
    );
  }
};
