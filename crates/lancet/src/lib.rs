//! The file tools that AI agents edit code with, as a library.
