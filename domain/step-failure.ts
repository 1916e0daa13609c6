/**
 * Why a step of a workflow was not done, as far as that decides what follows; and whether an order may have been sent although the
 * step that sends it failed so. The names travel through Temporal as the types of failures.
 */
export const MAY_HAVE_SENT = {
  /** An order was sent, or may have been, or its end is not certain: the next attempt looks first. */
  OutcomeUnknown: true,
  /** The broker wants to be left alone for a while. */
  BrokerBusy: false,
  /** Something else comes first: an order or a position of the other side ends, or a fact can be believed again. */
  Awaits: false,
  /** The order is held back by the kill switch. */
  Halted: false,
  /** The throttle gave no answer. */
  ThrottleUnavailable: false,
  BrokerCredentialsError: true,
  /** There was no answer in time. */
  Timeout: true,
  Other: true,
} as const satisfies Record<string, boolean>

export type Failure = keyof typeof MAY_HAVE_SENT

/** The failure of a type that came through Temporal, or of an error's name. */
export const failureOfType = (type: string | null | undefined): Failure =>
  type != null && Object.hasOwn(MAY_HAVE_SENT, type) ? (type as Failure) : 'Other'
