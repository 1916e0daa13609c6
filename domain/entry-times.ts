/** Milliseconds. They are right only in the order that `test/domain/entry-times.test.ts` holds: read it first. */

// The start of a workflow (`api/temporal/`).

/** Until a start that nobody waits for is given up. */
export const START_DEADLINE = 5_000
/** Until another worker gets a workflow task: so soon one takes over after a death. */
export const WORKFLOW_TASK_WITHIN = 5_000

// One attempt to check, send and record an order (`activities/attempt.ts`), from its beginning. A step that
// began later would be done twice: the workflow takes it over.

/** Until its order is sent. */
export const SEND_WITHIN = 400
/** Until the record of its acceptance begins. */
export const RECORD_WITHIN = 1_100

// The last gate before the broker, and what is known after it (`activities/order/throttle.ts`, `activities/order/submit.ts`).

/** From the throttle's answer to the leaving, with a handshake; an older answer may hide a kill switch. */
export const LEAVES_WITHIN = 2_000
/** A broker's look-up lags behind its records: an order not found so soon after an unknown outcome may still appear. */
export const LOOKUP_LAG = 5_000

// The steps of the workflow (`workflows/steps/steps.ts`).

/** One try as a local activity, which an attempt is as well. */
export const QUICK_STEP = 1_500
/** All tries of a step that its workflow can go on without. */
export const BRIEF_STEP = 4_000
/** One try as an ordinary activity: longer than a broker request, short enough to notice a crashed worker. */
export const DURABLE_STEP = 8_000
