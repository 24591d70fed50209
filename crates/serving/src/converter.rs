//! Converts files, formats new text and runs hooks with programs that the launcher starts.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use lancet::programs::{
    FORMAT_TIME_LIMIT, Formatter, Hook, MAX_FORMATTED_SIZE, MAX_HOOK_OUTPUT, ProgramError,
    ProgramOutput, ProgramRunner,
};
use lancet_formats::convert::{
    ConvertError, Converter, FileConverter, MAX_OUTPUT_BYTES, TIME_LIMIT_SECONDS,
};

use crate::captured::{Failure, ProgramLimits, run_captured};
use crate::launcher::Launcher;
use crate::programs::LaunchRequest;

/// The largest number of bytes of a program's standard error that are stored.
const MAX_ERROR_BYTES: usize = 2_000;

impl FileConverter for Launcher {
    fn convert(
        &self,
        converter: &Converter,
        name: &OsStr,
        file: &[u8],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Vec<u8>, ConvertError> {
        if !self.programs.converters.contains(converter) {
            return Err(ConvertError::AddedLater);
        }
        let launch = LaunchRequest::Converter {
            pattern: converter.pattern.clone(),
            name: name.to_owned(),
        };
        let limits = ProgramLimits {
            output: MAX_OUTPUT_BYTES,
            error: MAX_ERROR_BYTES,
            time: Duration::from_secs(TIME_LIMIT_SECONDS),
        };
        let ended =
            run_captured(self, &launch, file, limits, is_stopped).map_err(|why| match why {
                Failure::Unavailable(words) => ConvertError::Unavailable(words),
                Failure::TooLong => ConvertError::TooLong,
                Failure::TooMuch => ConvertError::TooMuch,
                Failure::Stopped => ConvertError::Stopped,
            })?;
        if ended.code == Some(0) {
            return Ok(ended.output);
        }
        let words = String::from_utf8_lossy(&ended.error).trim().to_owned();
        Err(ConvertError::Failed {
            how: ended.describe_ending(),
            words,
        })
    }
}

impl ProgramRunner for Launcher {
    fn format(
        &self,
        formatter: &Formatter,
        path: &Path,
        text: &str,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<ProgramOutput, ProgramError> {
        if !self.programs.formatters.contains(formatter) {
            return Err(ProgramError::AddedLater);
        }
        let launch = LaunchRequest::Formatter {
            entry: formatter.id(),
            path: path.to_path_buf(),
        };
        let limits = ProgramLimits {
            output: MAX_FORMATTED_SIZE,
            error: MAX_ERROR_BYTES,
            time: FORMAT_TIME_LIMIT,
        };
        run_captured(self, &launch, text.as_bytes(), limits, is_stopped)
            .map_err(|failure| failure.into_program_error(limits))
    }

    fn run_hook(
        &self,
        hook: &Hook,
        input: &[u8],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<ProgramOutput, ProgramError> {
        if !self.programs.hooks.contains(hook) {
            return Err(ProgramError::AddedLater);
        }
        let launch = LaunchRequest::Hook { entry: hook.id() };
        let limits = ProgramLimits {
            output: MAX_HOOK_OUTPUT,
            error: MAX_HOOK_OUTPUT,
            time: hook.timeout,
        };
        run_captured(self, &launch, input, limits, is_stopped)
            .map_err(|failure| failure.into_program_error(limits))
    }
}
