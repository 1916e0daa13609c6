/** Milliseconds. They are right only in the order that `test/domain/entry-times.test.ts` holds: read it first. */

// The start of the workflow on the worker in the process of the API (`api/temporal/entry-here.ts`).

/** With less time left for the answer nothing is started in this process. */
export const LEAST_TIME = 500
/** For the start: on an overloaded machine one waits for half a second. */
export const START_WITHIN = 1_000
/** For the ordinary way when the start was not answered. */
export const LEFT_FOR_ORDINARY_WAY = 300
/** Until the call is given up. Its answer brings the first task, which would otherwise wait until it times out. */
export const START_DEADLINE = 5_000
/** After the start, until the workflow is asked for an outcome that this process has not heard. */
export const HAND_OVER_WITHIN = 1_000
/** Without starts here, after one whose connection may be broken. */
export const AVOIDED_FOR = 5_000
/** Until another worker gets a workflow task: so soon one takes over after a death. */
export const WORKFLOW_TASK_WITHIN = 5_000

// An attempt that begins before its workflow asks for it (`activities/handover/entry-handover.ts`).

/** An attempt is kept for its workflow for so long; then the workflow makes its own. */
export const ATTEMPT_KEPT_FOR = 5_000

// One attempt to check, send and record an order (`activities/attempt.ts`), from its beginning. A step that
// began later would be done twice: the workflow takes it over.

/** Until its order is sent. */
export const SEND_WITHIN = 400
/** Until all waits end. */
export const LONGEST_WAIT = 900
/** Until its acceptance is recorded. */
export const RECORD_WITHIN = 1_100
/** Until the wait for the record of a fill ends. */
export const FILL_RECORDED_WITHIN = 1_300
/** Until reports of its order go to the feed. */
export const HOLD_REPORTS_FOR = 1_400

/** Waits for the fill of an accepted market order. */
export const FILL_PATIENCE = {
  /** Before its acceptance is recorded. */
  beforeRecord: 25,
  /** The same where a request of this process is answered with the record. */
  beforeAnswer: 5,
  /** After that answer, so that the workflow goes on with the fill at once. Messages to it wait as long. */
  afterAnswer: 400,
} as const

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
