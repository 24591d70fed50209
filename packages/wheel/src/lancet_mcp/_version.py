"""The version of the package, which is that of the program inside."""

VERSION = "@version@"
