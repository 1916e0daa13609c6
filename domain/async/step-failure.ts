/** Failure types in Temporal: true if an order may have been sent. */
export const MAY_HAVE_SENT = {
  /** Perhaps sent, or with an uncertain end: the next attempt looks first. */
  OutcomeUnknown: true,
  BrokerBusy: false,
  /** An opposite order or position must end, or a fact become credible. */
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
