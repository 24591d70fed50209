//! A few threads for the work of calls, started when first needed, so that the async reactor stays free to receive
//! cancellations. A call waits for a free thread without holding one. A panic ends the call, not the thread.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, oneshot};

/// The number of stuck threads (on a file system that does not respond) after which the pool replaces no more of
/// them.
const MAX_REPLACED: usize = 12;

/// The interval at which the end of a connection checks whether the last jobs have ended.
const CHECK_INTERVAL: Duration = Duration::from_millis(2);

type Job = Box<dyn FnOnce() + Send>;

/// The thread pool, shared by every call of a process. When it is dropped, its threads end after their current jobs.
pub struct Pool {
    shared: Arc<PoolShared>,
    free: Arc<Semaphore>,
}

#[derive(Default)]
struct PoolShared {
    state: Mutex<Queue>,
}

/// The waiting jobs and the threads of the pool.
#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// The sleeping threads. The one that fell asleep last is woken first, because its stack, heap and buffers are
    /// still in the CPU cache; a condition variable would wake the threads in turn.
    idle: Vec<Thread>,
    busy: usize,
    replaced: usize,
    closing: bool,
}

/// The progress of the job of one call, shared by the call and the job.
#[derive(Clone, Debug, Default)]
pub struct JobProgress(Arc<Mutex<JobPhase>>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum JobPhase {
    /// No thread has started the job.
    #[default]
    Waiting,
    AtWork,
    /// The job is running, and its thread was replaced in the pool by another.
    Replaced,
    Ended,
}

impl JobProgress {
    /// Returns whether a thread has started the job.
    pub fn has_begun(&self) -> bool {
        *self.lock() != JobPhase::Waiting
    }

    /// Enters a phase; returns the previous one.
    fn set_phase(&self, phase: JobPhase) -> JobPhase {
        std::mem::replace(&mut self.lock(), phase)
    }

    fn lock(&self) -> MutexGuard<'_, JobPhase> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reason why a job has no result.
#[derive(Debug, PartialEq, Eq)]
pub enum JobError {
    /// The job panicked.
    Panicked,
    /// No thread could be started for the job.
    NoThread,
}

impl Pool {
    /// Creates a pool that carries out at most `threads` jobs at a time.
    pub fn new(threads: usize) -> Self {
        Self {
            shared: Arc::default(),
            free: Arc::new(Semaphore::new(threads)),
        }
    }

    /// Runs `work` as soon as a thread is free. If the future is dropped before that, the work never starts; if it is
    /// dropped later, the work runs to its end and its result is discarded.
    ///
    /// # Errors
    /// The job panicked, or there is no thread for it.
    pub async fn run<T: Send + 'static>(
        &self,
        progress: &JobProgress,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JobError> {
        let permit = self.free.clone().acquire_owned().await;
        let (sender, result) = oneshot::channel();
        let (progress, shared) = (progress.clone(), self.shared.clone());
        let job: Job = Box::new(move || {
            progress.set_phase(JobPhase::AtWork);
            let outcome = catch_unwind(AssertUnwindSafe(work));
            // The permit is returned before the result is sent, so that the receiver finds the thread free. The permit
            // of a replaced thread was already returned.
            match (progress.set_phase(JobPhase::Ended), permit) {
                (JobPhase::Replaced, Ok(permit)) => {
                    permit.forget();
                    shared.lock().replaced -= 1;
                }
                (_, permit) => drop(permit),
            }
            if let Ok(value) = outcome {
                let _ = sender.send(value);
            }
        });
        self.shared.push_job(job)?;
        // The sender is dropped without a result only if the job panicked.
        result.await.map_err(|_| JobError::Panicked)
    }

    /// Replaces the thread of a job that no call waits for any more, which may occupy its thread for an unknown time:
    /// another thread takes its place until the job ends. Does nothing if the job has ended or not begun.
    pub fn replace_stuck(&self, progress: &JobProgress) {
        let mut phase = progress.lock();
        let mut state = self.shared.lock();
        if *phase == JobPhase::AtWork && state.replaced < MAX_REPLACED {
            *phase = JobPhase::Replaced;
            state.replaced += 1;
            self.free.add_permits(1);
        }
    }

    /// Accepts no more work and waits at most `patience` until all jobs have ended, because a write that has begun is
    /// finished; returns whether all ended. The reactor stays free to pass on cancellations.
    pub async fn finish_jobs(&self, patience: Duration) -> bool {
        let end = Instant::now() + patience;
        self.reject_new_jobs();
        while self.shared.lock().busy > 0 {
            if Instant::now() >= end {
                return false;
            }
            tokio::time::sleep(CHECK_INTERVAL).await;
        }
        true
    }

    fn reject_new_jobs(&self) {
        let mut state = self.shared.lock();
        state.closing = true;
        state.jobs.clear();
        let idle = std::mem::take(&mut state.idle);
        drop(state);
        for thread in idle {
            thread.unpark();
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.reject_new_jobs();
    }
}

impl PoolShared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push_job(self: &Arc<Self>, job: Job) -> Result<(), JobError> {
        let mut state = self.lock();
        if state.closing {
            return Err(JobError::NoThread);
        }
        state.jobs.push_back(job);
        if let Some(thread) = state.idle.pop() {
            // The lock is released first: a thread that wakes up to a held lock would go back to sleep.
            drop(state);
            thread.unpark();
            return Ok(());
        }
        let shared = self.clone();
        if thread::Builder::new()
            .name("lancet-call".to_owned())
            .spawn(move || shared.work_on_jobs())
            .is_err()
        {
            state.jobs.pop_back();
            return Err(JobError::NoThread);
        }
        Ok(())
    }

    fn work_on_jobs(&self) {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                state.busy += 1;
                drop(state);
                job();
                state = self.lock();
                state.busy -= 1;
            } else if state.closing {
                return;
            } else {
                let own = thread::current();
                let id = own.id();
                state.idle.push(own);
                drop(state);
                thread::park();
                state = self.lock();
                // The thread that woke this one removed it from the list; after a spurious wake-up it is still there.
                state.idle.retain(|thread| thread.id() != id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn new_runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime")
    }

    #[test]
    fn runs_jobs_in_parallel_up_to_the_limit() {
        new_runtime().block_on(async {
            let pool = Arc::new(Pool::new(3));
            let together = Arc::new(Barrier::new(3));
            let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
            let calls: Vec<_> = (0..9)
                .map(|number| {
                    let (pool, together) = (pool.clone(), together.clone());
                    let (now, most) = (now.clone(), most.clone());
                    tokio::spawn(async move {
                        let work = move || {
                            most.fetch_max(
                                now.fetch_add(1, Ordering::SeqCst) + 1,
                                Ordering::SeqCst,
                            );
                            // The barrier is passed by three threads at once: with fewer threads the test would hang.
                            together.wait();
                            now.fetch_sub(1, Ordering::SeqCst);
                            number
                        };
                        pool.run(&JobProgress::default(), work).await
                    })
                })
                .collect();
            for (number, call) in calls.into_iter().enumerate() {
                assert_eq!(call.await.expect("not aborted"), Ok(number));
            }
            assert!(most.load(Ordering::SeqCst) <= 3);
        });
    }

    #[test]
    fn panic_ends_the_job_but_not_the_thread() {
        new_runtime().block_on(async {
            let pool = Pool::new(1);
            for _ in 0..3 {
                let outcome: Result<(), JobError> = pool
                    .run(&JobProgress::default(), || {
                        std::panic::resume_unwind(Box::new("on purpose"))
                    })
                    .await;
                assert_eq!(outcome, Err(JobError::Panicked));
                assert_eq!(pool.run(&JobProgress::default(), || 7).await, Ok(7));
            }
        });
    }

    #[test]
    fn settle_waits_for_running_job_and_accepts_no_other() {
        let pool = Pool::new(2);
        let done = Arc::new(AtomicUsize::new(0));
        let (told, hears) = std::sync::mpsc::channel();
        let count = done.clone();
        new_runtime().block_on(async {
            let work = move || {
                told.send(()).expect("somebody hears");
                thread::sleep(Duration::from_millis(20));
                count.fetch_add(1, Ordering::SeqCst);
            };
            // The future is polled once, which starts it, and then dropped.
            let progress = JobProgress::default();
            tokio::select! { biased; _ = pool.run(&progress, work) => {} () = std::future::ready(()) => {} }
            hears.recv().expect("the job began");
            assert!(pool.finish_jobs(Duration::from_secs(60)).await);
            assert_eq!(done.load(Ordering::SeqCst), 1);
            assert_eq!(pool.run(&JobProgress::default(), || 1).await, Err(JobError::NoThread));
        });
    }

    #[test]
    fn stuck_job_is_replaced_until_it_ends() {
        new_runtime().block_on(async {
            let pool = Pool::new(1);
            let (stuck, other) = (JobProgress::default(), JobProgress::default());
            let (release, held) = std::sync::mpsc::channel::<()>();
            let (told, hears) = std::sync::mpsc::channel();
            let work = move || {
                told.send(()).expect("somebody hears");
                held.recv()
            };
            pool.replace_stuck(&stuck);
            assert_eq!(pool.free.available_permits(), 1, "it has not begun");
            tokio::select! { biased; _ = pool.run(&stuck, work) => {} () = std::future::ready(()) => {} }
            hears.recv().expect("the job began");
            pool.replace_stuck(&stuck);
            pool.replace_stuck(&stuck);
            assert_eq!(pool.run(&other, || 1).await, Ok(1));
            pool.replace_stuck(&other);
            assert_eq!(pool.free.available_permits(), 1, "once for each stuck job");
            release.send(()).expect("still held");
            assert!(pool.finish_jobs(Duration::from_secs(60)).await);
            assert_eq!(pool.free.available_permits(), 1, "it took nothing back");
            assert_eq!(pool.shared.lock().replaced, 0);
        });
    }
}
