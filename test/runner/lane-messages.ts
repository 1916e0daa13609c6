import type { LeftOut } from '#test/support/left-out.ts'

/** A test, or a hook, that failed: its titles joined, and its error with the stack or the difference. */
export type Failure = { file: string; title: string; error: string }

/** The outcome of one test file; those that were left out for want of a tool are among the skipped. */
export type FileResult = { passed: number; skipped: number; leftOut: LeftOut; failures: Failure[] }

/** A lane says at once what failed, and after the file its outcome and the bytes of memory that the process holds. */
export type LaneMessage = { failed: Failure } | { done: FileResult; heapUsed: number }

/** What a lane is asked: to run one file, up to its first failure where it is to `bail`, or to stop its servers and end. */
export type LaneRequest = { run: string; bail?: boolean } | { end: true }

/** Closes the output of one file on the lane's standard output, where it cannot overtake that output. */
export const END_OF_FILE = '\u001e end of the test file \u001e'
