export interface TokenRefusal {
  at: string
  code: string
  /** Bounded and without secrets: of the body only what the refusal names. */
  message: string
}
