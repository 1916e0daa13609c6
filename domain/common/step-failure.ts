/** By the types that travel through Temporal: whether an order may have been sent all the same. */
export const MAY_HAVE_SENT = {
  /** An order was sent, or may have been, or its end is not certain: the next attempt looks first. */
  OutcomeUnknown: true,
  BrokerBusy: false,
  /** Something else comes first: an order or a position of the other side ends, or a fact can be believed again. */
  Awaits: false,
  Halted: false,
  ThrottleUnavailable: false,
  BrokerCredentialsError: true,
  Timeout: true,
  Other: true,
} as const satisfies Record<string, boolean>

export type Failure = keyof typeof MAY_HAVE_SENT

export const failureOfType = (type: string | null | undefined): Failure =>
  type != null && Object.hasOwn(MAY_HAVE_SENT, type) ? (type as Failure) : 'Other'
