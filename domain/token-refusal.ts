/** The last refused request for a signal of a token. */
export interface TokenRefusal {
  /** ISO instant. */
  at: string
  code: string
  /** Bounded and without secrets: of the body only what the refusal names. */
  message: string
}
