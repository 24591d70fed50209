//! Replies of models, applied to files: the cases of the folder `dialects`, and laws over random trees.

mod case_files;
mod cases;
