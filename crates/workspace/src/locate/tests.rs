//! Tests of locating.
