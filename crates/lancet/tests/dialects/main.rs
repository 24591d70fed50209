//! Replies of models, applied to files: the cases of the folder `dialects`, and laws over random files and changes.

mod alike;
mod case_files;
mod cases;
mod damage;
mod judges;
mod laws;
mod library;
mod model;
mod render;
