import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

export interface Job<T> {
  id: string;
  payload: T;
  attempts: number;
  runAt: number;
}

export interface QueueOptions {
  concurrency: number;
  maxAttempts: number;
  backoffMs: number;
}

const defaults: QueueOptions = {
  concurrency: 4,
  maxAttempts: 5,
  backoffMs: 250,
};

/**
 * A queue in memory. Jobs run in the order of their time; a job that
 * fails comes back later, up to a number of attempts.
 */
export class Queue<T> extends EventEmitter {
  private readonly options: QueueOptions;
  private readonly waiting: Job<T>[] = [];
  private running = 0;
  private stopped = false;

  constructor(
    private readonly handler: (job: Job<T>) => Promise<void>,
    options: Partial<QueueOptions> = {},
  ) {
    super();
    this.options = { ...defaults, ...options };
  }

  get size(): number {
    return this.waiting.length + this.running;
  }

  push(id: string, payload: T, delayMs = 0): Job<T> {
    if (this.stopped) {
      throw new Error(`queue is stopped, job ${id} was not taken`);
    }
    const job: Job<T> = {
      id,
      payload,
      attempts: 0,
      runAt: Date.now() + delayMs,
    };
    this.insert(job);
    void this.pump();
    return job;
  }

  cancel(id: string): boolean {
    const index = this.waiting.findIndex((job) => job.id === id);
    if (index < 0) {
      return false;
    }
    const [job] = this.waiting.splice(index, 1);
    this.emit("cancelled", job);
    return true;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.waiting.length = 0;
    while (this.running > 0) {
      await sleep(10);
    }
    this.emit("stopped");
  }

  private insert(job: Job<T>): void {
    const later = this.waiting.findIndex((other) => other.runAt > job.runAt);
    if (later < 0) {
      this.waiting.push(job);
    } else {
      this.waiting.splice(later, 0, job);
    }
  }

  private async pump(): Promise<void> {
    while (!this.stopped && this.running < this.options.concurrency) {
      const next = this.waiting[0];
      if (next === undefined) {
        break;
      }
      const wait = next.runAt - Date.now();
      if (wait > 0) {
        await sleep(Math.min(wait, 1000));
        continue;
      }
      this.waiting.shift();
      void this.run(next);
    }
  }

  private async run(job: Job<T>): Promise<void> {
    this.running += 1;
    job.attempts += 1;
    try {
      await this.handler(job);
      this.emit("done", job);
    } catch (error) {
      this.emit("failed", job, error);
      if (job.attempts < this.options.maxAttempts) {
        job.runAt = Date.now() + this.options.backoffMs * 2 ** job.attempts;
        this.insert(job);
      } else {
        this.emit("dropped", job);
      }
    } finally {
      this.running -= 1;
      void this.pump();
    }
  }
}
