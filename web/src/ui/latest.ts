/** Tasks at a time: one that a slow network holds up does not hold up the next. */
const AT_ONCE = 2;

/**
 * Runs a task for the latest input. While two run, one input waits, the newest; what came between is never
 * run, and an answer that is no longer wanted is not delivered.
 *
 * @param run the task.
 * @param deliver gets the answer to the latest input.
 * @param fail gets the error of the latest input.
 */
export function latestOnly<Input, Output>(
  run: (input: Input) => Promise<Output>,
  deliver: (output: Output, input: Input) => void,
  fail: (error: unknown, input: Input) => void,
): { submit(input: Input): void; cancel(): void } {
  let running = 0;
  let version = 0;
  let waiting: { input: Input } | null = null;

  const begin = async (input: Input) => {
    running++;
    const mine = version;
    try {
      const output = await run(input);
      if (mine === version) deliver(output, input);
    } catch (error) {
      if (mine === version) fail(error, input);
    }
    running--;
    if (waiting) {
      const { input: next } = waiting;
      waiting = null;
      void begin(next);
    }
  };

  return {
    submit(input) {
      version++;
      if (running === AT_ONCE) waiting = { input };
      else void begin(input);
    },
    cancel() {
      version++;
      waiting = null;
    },
  };
}
